#include "cli/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <span>

#include "algorithms/error.h"
#include "algorithms/problem/checked.h"

namespace convlens::cli {

static_assert(std::endian::native == std::endian::little, "elements are read and written as they lie in memory");

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kLongestHeader = 1 << 20;
constexpr std::int64_t kElementsAtATime = 1 << 16;

struct ElementType {
  std::string_view code;
  std::int64_t size;
  DType natural;
};
constexpr std::array kTypes{
    ElementType{"<f2", 2, DType::f16}, ElementType{"<f4", 4, DType::f32}, ElementType{"<f8", 8, DType::f64},
    ElementType{"|b1", 1, DType::f32}, ElementType{"|u1", 1, DType::f32}, ElementType{"|i1", 1, DType::f32},
    ElementType{"<u2", 2, DType::f32}, ElementType{"<i2", 2, DType::f32}, ElementType{"<u4", 4, DType::f64},
    ElementType{"<i4", 4, DType::f64}, ElementType{"<u8", 8, DType::f64}, ElementType{"<i8", 8, DType::f64}};

const ElementType* find_type(std::string_view code) {
  const auto found = std::ranges::find(kTypes, code, &ElementType::code);
  return found == kTypes.end() ? nullptr : &*found;
}

// Calls f.operator()<T>() with the C++ type of an element.
template <class F>
void visit_type(std::string_view code, F&& f) {
  if (code == "<f2") return f.template operator()<f16>();
  if (code == "<f4") return f.template operator()<float>();
  if (code == "<f8") return f.template operator()<double>();
  if (code == "|i1") return f.template operator()<std::int8_t>();
  if (code == "<u2") return f.template operator()<std::uint16_t>();
  if (code == "<i2") return f.template operator()<std::int16_t>();
  if (code == "<u4") return f.template operator()<std::uint32_t>();
  if (code == "<i4") return f.template operator()<std::int32_t>();
  if (code == "<u8") return f.template operator()<std::uint64_t>();
  if (code == "<i8") return f.template operator()<std::int64_t>();
  return f.template operator()<std::uint8_t>();  // |u1, |b1
}

std::string read_bytes(std::ifstream& stream, std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  stream.read(bytes.data(), count);
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

std::string refusal_of(const std::string& type) {
  if (type.starts_with('>')) return "is big-endian, must be little-endian";
  if (type == "|O") return "holds Python objects, must hold numbers";
  return "must be one of float16, float32, float64, bool or an integer of 8 to 64 bits";
}

// Maps the file's axes to those of a tensor whose shape is the same but for axes of length one.
std::vector<std::size_t> matching_axes(const NpyHeader& header, const Shape& shape) {
  std::vector<std::size_t> axes;
  std::size_t axis = 0;
  for (std::int64_t extent : header.shape) {
    while (axis < 4 && shape[axis] != extent) ++axis;
    axes.push_back(axis++);
  }
  return axes;
}

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& path, const std::string& parameter) {
  const std::string file = parameter + ": " + path.string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw BadInput(file + ", no such file");
  if (!std::filesystem::is_regular_file(path, error)) throw BadInput(file + ", must be a regular file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw BadInput(file + ", cannot be read");

  const std::string start = read_bytes(stream, 8);
  if (!start.starts_with(kMagic)) throw BadInput(file + ", does not begin with \\x93NUMPY, must be an .npy file");
  if (start.size() < 8) throw BadInput(file + ", truncated in its first 8 bytes");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw BadInput(file + ", .npy version " + std::to_string(version) + ", must be 1, 2 or 3");

  const std::int64_t length_bytes = version == 1 ? 2 : 4;
  const std::string length_text = read_bytes(stream, length_bytes);
  std::uint32_t length = 0;
  std::memcpy(&length, length_text.data(), length_text.size());
  if (length > kLongestHeader)
    throw BadInput(file + ", header of " + std::to_string(length) + " bytes, must be ≤ 1048576");
  const std::string text = read_bytes(stream, length);
  if (std::ssize(length_text) < length_bytes || text.size() < length)
    throw BadInput(file + ", truncated in its header");

  NpyHeader header = parse_npy_header(text, file);
  header.name = file;
  header.data_offset = 8 + length_bytes + length;
  const ElementType* type = find_type(header.type);
  if (type == nullptr) throw BadInput(file + ", element type " + header.type + ", " + refusal_of(header.type));

  std::int64_t bytes = type->size;
  try {
    for (std::int64_t extent : header.shape) bytes = checked::product("bytes of the array", {bytes, extent});
  } catch (const Unsupported& overflow) {
    throw BadInput(file + ", " + overflow.what());
  }
  const auto there = static_cast<std::int64_t>(std::filesystem::file_size(path, error)) - header.data_offset;
  if (error || there != bytes)
    throw BadInput(file + ", " + std::to_string(there) + " bytes of elements, must be " + std::to_string(bytes));
  return header;
}

DType natural_dtype(const NpyHeader& header) { return find_type(header.type)->natural; }

void read_npy(const std::filesystem::path& path, const NpyHeader& header, const TensorView& to) {
  const std::vector<std::size_t> axes = matching_axes(header, to.shape);
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(header.data_offset);
  visit_type(header.type, [&]<class From>() {
    visit(to.dtype, [&]<class To>() {
      const View<To> target = to.as<To>();
      Shape at{};  // of the next element in the file
      const auto advance = [&] {
        for (std::size_t k = 0; k < axes.size(); ++k) {
          const std::size_t axis = axes[header.fortran_order ? k : axes.size() - 1 - k];
          if (++at[axis] < to.shape[axis]) return;
          at[axis] = 0;
        }
      };
      std::vector<From> chunk(static_cast<std::size_t>(std::min(kElementsAtATime, elements(to.shape))));
      for (std::int64_t left = elements(to.shape); left > 0; left -= std::ssize(chunk)) {
        chunk.resize(static_cast<std::size_t>(std::min(left, std::ssize(chunk))));
        if (!stream.read(reinterpret_cast<char*>(chunk.data()), std::ssize(chunk) * std::int64_t{sizeof(From)}))
          throw BadInput(header.name + ", cannot be read to its end");
        for (const From value : chunk) {
          target(at[0], at[1], at[2], at[3]) = static_cast<To>(value);
          advance();
        }
      }
    });
  });
}

void write_npy(const ConstTensorView& from, OutputFile& file) {
  const DType written = from.dtype == DType::bf16 ? DType::f32 : from.dtype;
  const Shape& s = from.shape;
  std::string text = "{'descr': '<f" + std::to_string(size_of(written)) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " + std::to_string(s[2]) + ", " +
                     std::to_string(s[3]) + "), }";
  constexpr std::size_t kPrefix = 10, kAlignment = 64;  // NumPy wants the elements to begin at a multiple of 64
  text.resize((kPrefix + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kPrefix, ' ');
  text.back() = '\n';
  std::string start(kMagic);
  start += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  start += text;
  file.write(std::as_bytes(std::span(start)));

  visit(from.dtype, [&]<class From>() {
    visit(written, [&]<class To>() {
      const View<const From> source = from.as<From>();
      std::vector<To> row(static_cast<std::size_t>(s[3]));
      for (std::int64_t n = 0; n < s[0]; ++n)
        for (std::int64_t c = 0; c < s[1]; ++c)
          for (std::int64_t h = 0; h < s[2]; ++h) {
            for (std::int64_t w = 0; w < s[3]; ++w)
              row[static_cast<std::size_t>(w)] = static_cast<To>(source(n, c, h, w));
            file.write(std::as_bytes(std::span(row)));
          }
    });
  });
}

}  // namespace convlens::cli

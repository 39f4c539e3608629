// .npy files for tests, made and read without the program's own code.
#pragma once

#include <bit>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace convlens::testing {

inline std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(k, 2)), nullptr, 16));
  return bytes;
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Version 1: `header` is the dictionary's text, padded as NumPy pads it.
inline std::string npy(std::string header, std::string_view elements) {
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + std::string(elements);
}

// An array of float32; `shape` is as Python writes it: "(1, 1, 3, 4)".
inline std::string npy_f32(const std::string& shape, const std::vector<float>& values) {
  return npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }",
             {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

// An array as the program writes it: its header's text without the padding, and its values, which are float32.
struct NpyArray {
  std::string header;
  std::string elements;  // as bytes
  std::vector<float> f32() const {
    std::vector<float> values(elements.size() / sizeof(float));
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::uint32_t bits = 0;
      for (std::size_t byte = 4; byte-- > 0;) bits = bits << 8 | static_cast<unsigned char>(elements[4 * k + byte]);
      values[k] = std::bit_cast<float>(bits);
    }
    return values;
  }
};
inline NpyArray read_npy_file(const std::string& path) {
  const std::string bytes = read_bytes(path);
  if (bytes.size() < 10 || bytes.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8))
    throw std::runtime_error(path + ": no .npy of version 1");
  const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  if ((10 + length) % 64 != 0) throw std::runtime_error(path + ": elements do not begin at a multiple of 64");
  std::string header = bytes.substr(10, length);
  header.erase(header.find_last_not_of(" \n") + 1);
  return {header, bytes.substr(10 + length)};
}

}  // namespace convlens::testing

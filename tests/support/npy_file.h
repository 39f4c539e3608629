// Arrays of floats in .npy files, written and read without the program's own code.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/support/guarded_tensor.h"

namespace convlens::testing {

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An .npy file, version 1.0, of little-endian floats in C order.
inline void write_npy(const std::string& path, const Shape& shape, const Filler& value) {
  std::ostringstream header;
  header << "{'descr': '<f4', 'fortran_order': False, 'shape': (" << shape[0] << ", " << shape[1] << ", " << shape[2]
         << ", " << shape[3] << "), }";
  std::string text = header.str();
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(text.size() % 256)).put(static_cast<char>(text.size() / 256));
  file << text;
  for (double v : rounded_values(DType::f32, shape, value)) {
    const float single = static_cast<float>(v);
    file.write(reinterpret_cast<const char*>(&single), sizeof single);
  }
}

struct Array {
  std::string shape;  // as in the file: "(1, 1, 4, 2)"
  std::vector<double> values;
};
inline Array read_npy(const std::string& path) {
  const std::string file = contents(path);
  REQUIRE(file.substr(0, 6) == "\x93NUMPY");
  const std::size_t data = 10 + static_cast<unsigned char>(file[8]) + 256 * static_cast<unsigned char>(file[9]);
  const std::string header = file.substr(10, data - 10);
  INFO(header);
  REQUIRE(header.find("'<f4'") != std::string::npos);
  const std::size_t open = header.find('(');
  Array array{header.substr(open, header.find(')') + 1 - open), {}};
  for (std::size_t at = data; at + sizeof(float) <= file.size(); at += sizeof(float)) {
    float single;
    std::memcpy(&single, file.data() + at, sizeof single);
    array.values.push_back(single);
  }
  return array;
}

}  // namespace convlens::testing

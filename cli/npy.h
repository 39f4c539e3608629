// NumPy's .npy files, read and written.
//
//   "\x93NUMPY" | version (2 bytes) | header length (2 bytes, from version 2 on 4) | header | elements
//
// The header is the text of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
// Source: NumPy's format description, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// Read are versions 1 to 3, both orders, and little-endian float16/32/64, integers of 8 to 64 bits and booleans.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/output_file.h"
#include "algorithms/tensor/view.h"

namespace convlens::cli {

struct NpyHeader {
  std::string type;            // as in the file: "<f4"
  bool fortran_order = false;  // the first axis is the fastest
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  // where the elements begin
  std::string name;              // "--input: x.npy", which messages begin with
};

// Parses the dictionary alone; `file` is the name that messages begin with. Throws BadInput.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

// Reads and checks everything but the elements: the type is one that can be read, and the file is as long as it must
// be. Throws BadInput with one line that names `parameter` and the file.
NpyHeader read_npy_header(const std::filesystem::path& path, const std::string& parameter);

// The element type that holds the file's values: float16/32/64 as they are, 8- and 16-bit integers exactly in f32,
// longer ones in f64 (exact up to 2^53).
DType natural_dtype(const NpyHeader& header);

// Reads the elements into `to`, rounding each to its type. `to.shape` is header.shape with axes of length one added
// anywhere; strides and layout are free. Throws BadInput when the file has changed or cannot be read.
void read_npy(const std::filesystem::path& path, const NpyHeader& header, const TensorView& to);

// Writes `from` as a 4-D array in C order, version 1. bf16, which NumPy does not have, is written as float32: exact.
void write_npy(const ConstTensorView& from, OutputFile& file);

}  // namespace convlens::cli

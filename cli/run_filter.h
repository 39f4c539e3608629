// The filter of a run: one that has a name, or an .npy array, whose axes say what it means:
//
//   (H_f, W_f)               every channel on its own with these taps:              groups = C_o = C_i
//   (C_o, H_f, W_f)          every channel on its own with C_o/C_i filters each:    groups = C_i
//   (C_o, C_i/G, H_f, W_f)   the general filter:                                    groups = C_i ÷ the second axis
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "algorithms/problem/conv_problem.h"
#include "cli/filters.h"
#include "cli/npy.h"

namespace convlens::cli {

class RunFilter {
 public:
  // `text` is a name of filters.h, or a path that ends in .npy. Throws BadInput with the closest name.
  explicit RunFilter(const std::string& text);

  const std::string& name() const { return name_; }  // a file's without its folder and .npy
  Show show() const { return named_ == nullptr ? Show::clip : named_->show; }

  // Sets co, hf, wf and groups from the filter and `spec.ci`. Throws BadInput when they don't fit together.
  void describe(ConvSpec& spec) const;

  // The weights of `problem`, which came from `describe`, rounded once to `dtype`.
  Tensor read(const ConvProblem& problem, DType dtype, FilterLayout layout) const;

 private:
  std::string name_;
  const NamedFilter* named_ = nullptr;
  std::filesystem::path path_;
  NpyHeader array_;
};

}  // namespace convlens::cli

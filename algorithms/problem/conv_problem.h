// One 2-D convolution layer, checked once where it is made.
//
//   y(n, o, p, q) = bias(o) + Σ_{c, u, v} x(n, g·C_i/G + c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left) · w(o, c, u,
//   v)
//
// with g = o / (C_o/G) the group of output channel o. This is cross-correlation, as deep-learning frameworks
// have it: the filter is not flipped. Elements outside the image are real zeros. Sizes are rounded down:
//
//   H_o = ⌊(H_i + p_top + p_bottom − d_h·(H_f − 1) − 1) / s_h⌋ + 1,   W_o likewise.
//
// Nothing else in the program computes an output size. All arithmetic is 64-bit and refuses to overflow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/tensor/layout.h"

namespace convlens {

// The numbers that define a layer, not yet checked. Names and order are those of result records.
struct ConvSpec {
  std::int64_t n = 1, ci = 1, hi = 1, wi = 1;
  std::int64_t co = 1, hf = 1, wf = 1;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  std::int64_t dilation_h = 1, dilation_w = 1;
  std::int64_t groups = 1;
  bool bias = false;

  bool operator==(const ConvSpec&) const = default;
};

// One rule that a spec breaks: `stride_w: 0, must be ≥ 1`.
struct BrokenRule {
  std::string parameter, value, rule;
  std::string line() const { return parameter + ": " + value + ", " + rule; }
};

// Every rule that `spec` breaks, in the order of its fields; empty when it is a legal layer.
std::vector<BrokenRule> broken_rules(const ConvSpec& spec);

class ConvProblem {
 public:
  // Throws BadInput with all broken rules in one line, Unsupported when a size overflows 64 bits.
  explicit ConvProblem(const ConvSpec& spec);

  const ConvSpec& spec() const { return spec_; }
  bool operator==(const ConvProblem& other) const { return spec_ == other.spec_; }

  std::int64_t n() const { return spec_.n; }
  std::int64_t ci() const { return spec_.ci; }
  std::int64_t hi() const { return spec_.hi; }
  std::int64_t wi() const { return spec_.wi; }
  std::int64_t co() const { return spec_.co; }
  std::int64_t hf() const { return spec_.hf; }
  std::int64_t wf() const { return spec_.wf; }
  std::int64_t ho() const { return ho_; }
  std::int64_t wo() const { return wo_; }
  std::int64_t groups() const { return spec_.groups; }
  bool bias() const { return spec_.bias; }

  std::int64_t ci_per_group() const { return spec_.ci / spec_.groups; }
  std::int64_t co_per_group() const { return spec_.co / spec_.groups; }
  std::int64_t group_of_output(std::int64_t o) const { return o / co_per_group(); }
  std::int64_t group_of_input(std::int64_t c) const { return c / ci_per_group(); }

  // How far the taps of one window reach: d·(filter − 1) + 1.
  std::int64_t extent_h() const { return spec_.dilation_h * (spec_.hf - 1) + 1; }
  std::int64_t extent_w() const { return spec_.dilation_w * (spec_.wf - 1) + 1; }
  std::int64_t padded_h() const { return spec_.hi + spec_.pad_top + spec_.pad_bottom; }
  std::int64_t padded_w() const { return spec_.wi + spec_.pad_left + spec_.pad_right; }

  // The input row and column that tap (u, v) of output (p, q) reads; outside the image it reads padding.
  std::int64_t input_row(std::int64_t p, std::int64_t u) const {
    return p * spec_.stride_h + u * spec_.dilation_h - spec_.pad_top;
  }
  std::int64_t input_column(std::int64_t q, std::int64_t v) const {
    return q * spec_.stride_w + v * spec_.dilation_w - spec_.pad_left;
  }

  Shape x_shape() const { return {spec_.n, spec_.ci, spec_.hi, spec_.wi}; }
  Shape w_shape() const { return {spec_.co, ci_per_group(), spec_.hf, spec_.wf}; }
  Shape y_shape() const { return {spec_.n, spec_.co, ho_, wo_}; }

  std::int64_t taps() const { return spec_.hf * spec_.wf; }
  std::int64_t reduction() const { return taps() * ci_per_group(); }  // K, the terms of one output
  std::int64_t multiplications() const { return elements(y_shape()) * reduction(); }
  std::int64_t flops() const { return 2 * multiplications(); }  // direct-equivalent: a multiply and an add a term

  // How many of the multiplications have a zero of the padding as a factor.
  std::int64_t padding_multiplications() const;

  // The same layer with another batch size; throws as the constructor does.
  ConvProblem with_batch(std::int64_t n) const;

 private:
  ConvSpec spec_;
  std::int64_t ho_ = 0, wo_ = 0;
};

}  // namespace convlens

#include "algorithms/peers/onednn/onednn.h"

namespace convlens::onednn {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

constexpr auto kF32 = memory::data_type::f32;

memory::dims dims(const Shape& shape) { return {shape[0], shape[1], shape[2], shape[3]}; }
Tag tag(Layout layout) { return layout == Layout::NCHW ? Tag::nchw : layout == Layout::NHWC ? Tag::nhwc : Tag::chwn; }

// With groups the library wants the filter as (g, o, i, h, w); the bytes are the same.
memory::desc filter(const Request& request, bool any) {
  const ConvProblem& p = request.problem;
  if (p.groups() == 1) {
    const Tag plain = request.layouts.w == FilterLayout::OIHW ? Tag::oihw : Tag::ohwi;
    return {dims(p.w_shape()), kF32, any ? Tag::any : plain};
  }
  const memory::dims shape{p.groups(), p.co_per_group(), p.ci_per_group(), p.hf(), p.wf()};
  const Tag plain = request.layouts.w == FilterLayout::OIHW ? Tag::goihw : Tag::gohwi;
  return {shape, kF32, any ? Tag::any : plain};
}

}  // namespace

memory::desc plain_x(const Request& r) { return {dims(r.problem.x_shape()), kF32, tag(r.layouts.x)}; }
memory::desc plain_w(const Request& r) { return filter(r, false); }
memory::desc plain_y(const Request& r) { return {dims(r.problem.y_shape()), kF32, tag(r.layouts.y)}; }
memory::desc plain_bias(const Request& r) { return {{r.problem.co()}, kF32, Tag::x}; }

dnnl::convolution_forward::primitive_desc describe(const Request& request, const Choice& choice, const dnnl::engine& engine) {
  const ConvProblem& p = request.problem;
  const ConvSpec& s = p.spec();
  const memory::desc x = choice.blocked ? memory::desc{dims(p.x_shape()), kF32, Tag::any} : plain_x(request);
  const memory::desc y = choice.blocked ? memory::desc{dims(p.y_shape()), kF32, Tag::any} : plain_y(request);
  const memory::desc w = filter(request, true);
  const memory::desc bias = p.bias() ? plain_bias(request) : memory::desc{};
  const memory::dims stride{s.stride_h, s.stride_w};
  const memory::dims dilation{s.dilation_h - 1, s.dilation_w - 1};  // the library counts the gaps
  const memory::dims before{s.pad_top, s.pad_left};
  // What the library's floor needs at the far side: rows that no window reaches are left out.
  const memory::dims after{(p.ho() - 1) * s.stride_h + p.extent_h() - p.hi() - s.pad_top,
                           (p.wo() - 1) * s.stride_w + p.extent_w() - p.wi() - s.pad_left};
  const auto kind = dnnl::prop_kind::forward_inference;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);  // so that runs at once do not share it
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, choice.algorithm, x, w, bias, y, stride, dilation, before, after, attributes};
#else
  const dnnl::convolution_forward::desc description(kind, choice.algorithm, x, w, bias, y, stride, dilation, before, after);
  return {description, attributes, engine};
#endif
}

}  // namespace convlens::onednn

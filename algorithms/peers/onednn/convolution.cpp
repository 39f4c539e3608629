#include "algorithms/peers/onednn/convolution.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/peers/thread_count.h"

namespace convlens::onednn {

namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// Without the library's cache of primitives: that of 2.6.3 takes a convolution_auto in one plain layout for one of the
// same sizes in another, which then runs with the wrong layout and too small a scratchpad. A plan keeps its own.
const dnnl::engine& cpu() {
  static const dnnl::engine engine = [] {
    dnnl::set_primitive_cache_capacity(0);
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

memory::data_type type_of(const Request& request) {
  switch (request.dtype) {
    case DType::f16:
      return memory::data_type::f16;
    case DType::bf16:
      return memory::data_type::bf16;
    default:
      return memory::data_type::f32;
  }
}

// An empty batch is never run, and is planned as one image.
memory::desc tensor(const Request& request, Shape shape, Layout layout, bool any) {
  shape[0] = std::max<std::int64_t>(1, shape[0]);
  const Tag plain = layout == Layout::NCHW ? Tag::nchw : layout == Layout::NHWC ? Tag::nhwc : Tag::chwn;
  return {{shape.begin(), shape.end()}, type_of(request), any ? Tag::any : plain};
}
memory::desc x_desc(const Request& r, bool any) { return tensor(r, r.problem.x_shape(), r.layouts.x, any); }
memory::desc y_desc(const Request& r, bool any) { return tensor(r, r.problem.y_shape(), r.layouts.y, any); }

// With groups the library counts the output channels of each group by themselves; the bytes are the same.
memory::desc w_desc(const Request& request, bool any) {
  const ConvProblem& p = request.problem;
  const bool oihw = request.layouts.w == FilterLayout::OIHW;
  if (p.groups() == 1) {
    const Shape shape = p.w_shape();
    return {{shape.begin(), shape.end()}, type_of(request), any ? Tag::any : oihw ? Tag::oihw : Tag::ohwi};
  }
  return {{p.groups(), p.co_per_group(), p.ci_per_group(), p.hf(), p.wf()},
          type_of(request),
          any    ? Tag::any
          : oihw ? Tag::goihw
                 : Tag::gohwi};
}

memory::desc bias_desc(const Request& request) {
  return request.problem.bias() ? memory::desc{{request.problem.co()}, type_of(request), Tag::x} : memory::desc{};
}

dnnl::convolution_forward::primitive_desc describe(const Request& request, dnnl::algorithm algorithm) {
  const ThreadCount limit(request.resolved_threads());  // which the library plans for
  const ConvSpec& s = request.problem.spec();
  const bool blocked = request.options.is("format", "blocked");
  const memory::desc x = x_desc(request, blocked), w = w_desc(request, true), y = y_desc(request, blocked);
  const memory::dims stride{s.stride_h, s.stride_w};
  const memory::dims dilation{s.dilation_h - 1, s.dilation_w - 1};  // the library counts the gaps
  const memory::dims before{s.pad_top, s.pad_left}, after{s.pad_bottom, s.pad_right};
  const auto kind = dnnl::prop_kind::forward_inference;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);  // ours, so that runs at once do not share it
#if DNNL_VERSION_MAJOR >= 3
  return {cpu(), kind, algorithm, x, w, bias_desc(request), y, stride, dilation, before, after, attributes};
#else
  return {{kind, algorithm, x, w, bias_desc(request), y, stride, dilation, before, after}, attributes, cpu()};
#endif
}

}  // namespace

Convolution::Convolution(const Request& request, dnnl::algorithm algorithm)
    : description_(describe(request, algorithm)),
      x_{"x", x_desc(request, false), description_.src_desc()},
      w_{"w", w_desc(request, false), description_.weights_desc()},
      y_{"y", y_desc(request, false), description_.dst_desc()},
      bias_(bias_desc(request)) {
  const ThreadCount limit(request.resolved_threads());
  convolution_ = dnnl::convolution_forward(description_);
  constexpr std::int64_t kAlignment = 64;
  const auto place = [&](std::size_t bytes) {
    const std::int64_t offset = bytes_;
    bytes_ += (static_cast<std::int64_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  };
  for (Operand* operand : {&x_, &w_, &y_}) {
    if (!operand->moved()) continue;
    operand->offset = place(operand->own.get_size());
    const bool read = operand != &y_;
    operand->reorder =
        dnnl::reorder({cpu(), read ? operand->plain : operand->own, cpu(), read ? operand->own : operand->plain});
  }
  scratchpad_ = place(description_.scratchpad_desc().get_size());
}

std::string Convolution::reordered() const {
  std::string names;
  for (const Operand* operand : {&x_, &w_, &y_})
    if (operand->moved()) names += (names.empty() ? "" : ", ") + std::string(operand->name);
  return names;
}

memory Convolution::Operand::own_memory(std::byte* memory, void* data) const {
  return {own, cpu(), moved() ? memory + offset : data};
}

void Convolution::run(const Arguments& a, std::byte* workspace, int threads, bool reorders) const {
  if (a.bias.size > 1 && a.bias.stride != 1)
    throw BadInput("bias: stride " + std::to_string(a.bias.stride) + ", must be 1: oneDNN is given dense tensors only");

  const ThreadCount limit(threads);
  dnnl::stream stream(cpu());
  void* const x_data = const_cast<void*>(a.x.data);  // the library only reads them
  void* const w_data = const_cast<void*>(a.w.data);
  memory x = x_.own_memory(workspace, x_data), w = w_.own_memory(workspace, w_data),
         y = y_.own_memory(workspace, a.y.data), plain_x(x_.plain, cpu(), x_data), plain_w(w_.plain, cpu(), w_data),
         plain_y(y_.plain, cpu(), a.y.data);
  if (reorders && x_.moved()) x_.reorder.execute(stream, plain_x, x);
  if (reorders && w_.moved()) w_.reorder.execute(stream, plain_w, w);
  std::unordered_map<int, memory> arguments{
      {DNNL_ARG_SRC, x},
      {DNNL_ARG_WEIGHTS, w},
      {DNNL_ARG_DST, y},
      {DNNL_ARG_SCRATCHPAD, {description_.scratchpad_desc(), cpu(), workspace + scratchpad_}}};
  if (a.bias.data != nullptr) arguments[DNNL_ARG_BIAS] = {bias_, cpu(), const_cast<void*>(a.bias.data)};
  convolution_.execute(stream, arguments);
  if (reorders && y_.moved()) y_.reorder.execute(stream, y, plain_y);
  stream.wait();
}

}  // namespace convlens::onednn

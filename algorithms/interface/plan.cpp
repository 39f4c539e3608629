#include "algorithms/interface/plan.h"

#include <omp.h>

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/interface/algorithm.h"
#include "algorithms/problem/checked.h"

namespace convlens {

namespace {

constexpr std::int64_t kAlignment = 64;

std::string text(const Shape& s) {
  return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]) + "x" + std::to_string(s[3]);
}

template <class AnyLayout>
void check_view(const char* name, const ConstTensorView& view, const Shape& shape, const Request& request,
                AnyLayout layout, bool dense) {
  if (view.shape != shape)
    throw BadInput(std::string(name) + ": shape " + text(view.shape) + ", must be " + text(shape));
  if (view.dtype != request.dtype)
    throw BadInput(std::string(name) + ": type " + std::string(convlens::name(view.dtype)) + ", must be " +
                   std::string(convlens::name(request.dtype)));
  if (view.place != request.place) throw BadInput(std::string(name) + ": is not in the place the plan was made for");
  if (dense && view.strides != dense_strides(layout, shape))
    throw BadInput(std::string(name) + ": strides " + text(view.strides) + ", must be those of a dense " +
                   std::string(convlens::name(layout)) + " tensor");
}

}  // namespace

int Request::resolved_threads() const {
  return std::min(threads > 0 ? threads : omp_get_max_threads(), omp_get_thread_limit());
}

const Buffer& Workspace::find(std::string_view name) const {
  const auto found = std::ranges::find(buffers_, name, &Buffer::name);
  if (found == buffers_.end()) throw BadInput("workspace: " + std::string(name) + ", no buffer of this plan");
  return *found;
}

Plan::Plan(const Algorithm& algorithm, Request request, Decisions decisions)
    : algorithm_(&algorithm), request_(std::move(request)), decisions_(std::move(decisions)) {
  request_.threads = request_.resolved_threads();  // decided now: a workspace may hold a part for each thread
  std::vector<Buffer> wanted;
  for (const Stage& stage : decisions_.stages)
    if (stage.stored) wanted.push_back({stage.id, stage.bytes()});
  wanted.insert(wanted.end(), decisions_.scratch.begin(), decisions_.scratch.end());

  std::int64_t end = 0, used = 0;
  for (Buffer& buffer : wanted) {
    buffer.offset = end;
    used = checked::sum("bytes of the workspace", {used, buffer.bytes});
    end = checked::sum("bytes of the workspace", {end, buffer.bytes, kAlignment - 1}) / kAlignment * kAlignment;
  }
  buffers_ = std::move(wanted);
  // The last buffer needs nothing after it; what lies between the others is named, so that the sum is exact.
  workspace_bytes_ = buffers_.empty() ? 0 : buffers_.back().offset + buffers_.back().bytes;
  if (workspace_bytes_ > used) buffers_.push_back({"alignment", workspace_bytes_ - used, workspace_bytes_});
}

std::string Plan::run_name() const { return convlens::run_name(*algorithm_, request_.options); }

void Plan::check(const Arguments& arguments, std::span<std::byte> memory) const {
  check_view("x", arguments.x, problem().x_shape(), request_, request_.layouts.x, dense_views());
  check_view("w", arguments.w, problem().w_shape(), request_, request_.layouts.w, dense_views());
  check_view("y", arguments.y, problem().y_shape(), request_, request_.layouts.y, dense_views());
  if (problem().bias()) {
    if (arguments.bias.data == nullptr || arguments.bias.size != problem().co() ||
        arguments.bias.dtype != request_.dtype)
      throw BadInput("bias: must hold " + std::to_string(problem().co()) + " values of type " +
                     std::string(name(request_.dtype)));
  } else if (arguments.bias.data != nullptr) {
    throw BadInput("bias: given, but the problem has none");
  }
  if (static_cast<std::int64_t>(memory.size()) < workspace_bytes_)
    throw BadInput("workspace: " + std::to_string(memory.size()) + " bytes, must be ≥ " +
                   std::to_string(workspace_bytes_));
}

void Plan::run(const Arguments& arguments, std::span<std::byte> memory, Stream stream) const {
  check(arguments, memory);
  if (problem().n() == 0) return;
  decisions_.execute(arguments, Workspace(memory, buffers_), request_.threads, stream);
}

std::string Plan::why_no_kernel() const {
  return decisions_.kernel ? ""
                           : "timed: kernel, must be call for " + run_name() +
                                 ", which has no kernel apart from the rest of its call";
}

void Plan::run_kernel(const Arguments& arguments, std::span<std::byte> memory, Stream stream) const {
  check(arguments, memory);
  if (const std::string why = why_no_kernel(); !why.empty()) throw Unsupported(why);
  if (problem().n() == 0) return;
  decisions_.kernel(arguments, Workspace(memory, buffers_), request_.threads, stream);
}

}  // namespace convlens

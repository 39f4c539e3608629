// onednn.cpu: Intel's oneDNN, as a row like any other. A module, so that the program starts without the library.
//
// The vendor's stages are opaque: their bytes are known, their contents are not. What a call pays: reordering the filter
// into the library's layout, and with activations=blocked x and y too. `kernel` timings leave the reorders out.
// Source: https://github.com/oneapi-src/oneDNN (Apache-2.0).
#include <omp.h>

#include "algorithms/interface/module.h"
#include "algorithms/peers/onednn/onednn.h"

namespace convlens {

namespace {

using dnnl::memory;

// The program counts threads a call; the library asks OpenMP, whose count belongs to the calling thread.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;

 private:
  int before_;
};

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

onednn::Choice choice(const Request& request) {
  const std::string& algorithm = request.options["algorithm"];
  return {algorithm == "direct"     ? dnnl::algorithm::convolution_direct
          : algorithm == "winograd" ? dnnl::algorithm::convolution_winograd
                                    : dnnl::algorithm::convolution_auto,
          request.options.is("activations", "blocked")};
}

// One tensor that the library may want in a layout of its own.
struct Operand {
  memory::desc plain, own;
  const char* buffer;
  bool reordered() const { return plain != own; }

  Stage stage(const char* title) const {
    Stage opaque;
    opaque.id = buffer;
    opaque.title = title;
    opaque.meaning = "a layout of the library's own; only its bytes are known";
    const auto floats = static_cast<std::int64_t>(own.get_size() / sizeof(float));
    opaque.axes = {{"i", "elements", floats, floats}};
    opaque.lay_out();
    return opaque;
  }
  memory plain_memory(void* data) const { return {plain, engine(), data}; }
  memory own_memory(const Workspace& workspace, void* data) const {
    return {own, engine(), reordered() ? workspace.get<float>(buffer) : data};
  }
};

struct Prepared {
  dnnl::convolution_forward::primitive_desc description;
  dnnl::convolution_forward convolution;
  Operand x, w, y;
  memory::desc bias;

  explicit Prepared(const Request& request)
      : description(onednn::describe(request, choice(request), engine())),
        convolution(description),
        x{onednn::plain_x(request), description.src_desc(), "blocked_x"},
        w{onednn::plain_w(request), description.weights_desc(), "blocked_filter"},
        y{onednn::plain_y(request), description.dst_desc(), "blocked_y"},
        bias(onednn::plain_bias(request)) {}

  void run(const Arguments& a, const Workspace& workspace, int threads, bool reorders) const {
    const ThreadCount limit(threads);
    dnnl::stream stream(engine());
    void* const x_data = const_cast<void*>(a.x.data);
    void* const w_data = const_cast<void*>(a.w.data);
    const memory x_own = x.own_memory(workspace, x_data), w_own = w.own_memory(workspace, w_data), y_own = y.own_memory(workspace, a.y.data);
    const auto move = [&](const memory& from, const memory& to) { dnnl::reorder(from, to).execute(stream, const_cast<memory&>(from), const_cast<memory&>(to)); };
    if (reorders && x.reordered()) move(x.plain_memory(x_data), x_own);
    if (reorders && w.reordered()) move(w.plain_memory(w_data), w_own);
    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, x_own}, {DNNL_ARG_WEIGHTS, w_own}, {DNNL_ARG_DST, y_own}};
    if (a.bias.data != nullptr) arguments[DNNL_ARG_BIAS] = memory(bias, engine(), const_cast<void*>(a.bias.data));
    if (description.scratchpad_desc().get_size() > 0)
      arguments[DNNL_ARG_SCRATCHPAD] = memory(description.scratchpad_desc(), engine(), workspace.get<std::byte>("scratchpad"));
    convolution.execute(stream, arguments);
    if (reorders && y.reordered()) move(y_own, y.plain_memory(a.y.data));
    stream.wait();
  }
};

void need_dense(const char* name, const ConstTensorView& view, const Strides& strides) {
  for (std::size_t axis = 0; axis < 4; ++axis)
    if (view.strides[axis] != strides[axis] && view.shape[axis] > 1)
      throw BadInput(std::string(name) + ": strides differ from its layout's, onednn.cpu needs a dense tensor");
}

Decisions decide(const Request& request) {
  const auto prepared = std::make_shared<const Prepared>(request);
  Decisions d;
  if (prepared->x.reordered()) d.stages.push_back(prepared->x.stage("blocked input"));
  if (prepared->w.reordered()) d.stages.push_back(prepared->w.stage("blocked filter"));
  if (prepared->y.reordered()) d.stages.push_back(prepared->y.stage("blocked output"));
  if (const auto bytes = prepared->description.scratchpad_desc().get_size(); bytes > 0)
    d.scratch = {{"scratchpad", static_cast<std::int64_t>(bytes)}};
  d.executed_flops = request.problem.flops();
  d.error_model = plain_sum_model(request.problem, request.dtype);
  d.vendor = true;
  d.notes = {std::string("implementation: ") + prepared->description.impl_info_str()};
  const Layouts layouts = request.layouts;
  const auto call = [prepared, layouts](const Arguments& a, const Workspace& workspace, int threads, bool reorders) {
    need_dense("x", a.x, dense_strides(layouts.x, a.x.shape));
    need_dense("w", a.w, dense_strides(layouts.w, a.w.shape));
    need_dense("y", a.y, dense_strides(layouts.y, a.y.shape));
    prepared->run(a, workspace, threads, reorders);
  };
  d.execute = [call](const Arguments& a, const Workspace& workspace, int threads, Stream) { call(a, workspace, threads, true); };
  d.kernel = [call](const Arguments& a, const Workspace& workspace, int threads, Stream) { call(a, workspace, threads, false); };
  return d;
}

// Whatever the library itself refuses, in its own words.
std::optional<Refusal> refused_by_library(const Request& request) {
  if (request.dtype != DType::f32) return Refusal{"dtype: " + std::string(name(request.dtype)) + ", onednn.cpu is asked for f32 only", {}};
  if (request.problem.n() == 0) return std::nullopt;
  try {
    onednn::describe(request, choice(request), engine());
  } catch (const dnnl::error& error) {
    return Refusal{"onednn.cpu: " + std::string(error.what()), {}};
  }
  return std::nullopt;
}

const Algorithm& onednn_cpu() {
  static const Algorithm row{
      .id = "onednn.cpu",
      .family = "onednn",
      .unit = Unit::cpu,
      .title = "oneDNN",
      .sentence = "Intel's library; what it does to the data is its own affair, only the bytes are known.",
      .source = "https://github.com/oneapi-src/oneDNN",
      .options = {{"algorithm", "Algorithm", "Which of the library's algorithms.", {"auto", "direct", "winograd"}, "auto"},
                  {"activations", "Activations", "x and y as they are, or reordered into the library's blocked layout.", {"plain", "blocked"}, "plain"}},
      .rules = {{"f32, what the library implements", refused_by_library}},
      .decide = decide,
  };
  return row;
}

}  // namespace

}  // namespace convlens

extern "C" std::span<const convlens::Algorithm* const> convlens_module() {
  static const convlens::Algorithm* const rows[] = {&convlens::onednn_cpu()};
  return rows;
}

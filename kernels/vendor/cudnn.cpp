#include "kernels/vendor/cudnn.h"

#include <algorithm>

#include "algorithms/error.h"
#include "kernels/row.h"
#include "kernels/runtime.h"
#include "kernels/vendor/cudnn_error.h"
#include "kernels/vendor/cudnn_rules.h"

namespace convlens::gpu {

namespace {

using Method = VendorAnswer::Method;

const std::string kBest = "best";

// What is asked of cuDNN: an algorithm by its name in the legacy interface, or the best engine of the graph interface.
struct Question {
  std::string engine;            // begins with kBest where cuDNN is to choose
  Method method = Method::sums;  // as NVIDIA documents it; of an engine, cuDNN's notes tell
};

std::string why_no_gpu() {
  if (std::string why = why_no_runtime(); !why.empty()) return why;
  return runtime().why_no_device();
}

const std::string kNotAsked = "needs a GPU to say whether cuDNN computes this layer, and with how much workspace: ";
const std::string kAsOfSums = "which engine it is, cuDNN says on a GPU: until then FLOPs and bounds are those of sums";

// cuDNN's answer, or what can be said without it.
VendorAnswer answer(const Request& request, const Question& question) {
  VendorAnswer unknown;
  unknown.engine = question.engine;
  unknown.method = question.method;
  if (request.problem.n() == 0) return unknown;  // nothing will be called
  if (const std::string why = why_no_gpu(); !why.empty()) {
    unknown.notes = {kNotAsked + why};
    if (question.engine.starts_with(kBest)) unknown.notes.push_back(kAsOfSums);
    return unknown;
  }
  return runtime().ask(request, {.sentence = {}, .library = "cudnn", .engine = question.engine, .workspace = {}});
}

// Opaque: how cuDNN uses it is not known. Counted in words of four bytes.
Stage workspace_stage(std::int64_t bytes, DType dtype) {
  Stage stage;
  stage.id = "cudnn";
  stage.title = "cuDNN's workspace";
  stage.meaning = "Opaque: what cuDNN keeps here is not documented, only how many bytes it asks for.";
  stage.made_from = {kInput, kFilter};
  stage.axes = {{"k", "bytes/" + std::to_string(size_of(dtype)), ceil_div(bytes, size_of(dtype)),
                 ceil_div(bytes, size_of(dtype))}};
  stage.dtype = dtype;
  stage.lay_out();
  return stage;
}

Decisions decide(const Request& request, const Question& question) {
  VendorAnswer said = answer(request, question);
  if (!said.refusal.empty()) throw Unsupported(said.refusal);
  VendorCall call{
      .sentence = "calls cuDNN: " + said.engine,
      .library = "cudnn",
      .engine = said.engine,
      .workspace = "cudnn",
      .workspace_bytes = said.workspace_bytes,
  };
  Decisions d = decisions({request, {std::move(call)}});
  d.stages = {workspace_stage(said.workspace_bytes, request.dtype)};
  d.executed_flops = request.problem.flops();
  d.error_model = cudnn_error_model(request, said.method, question.engine == "FFT");
  d.notes = std::move(said.notes);
  if (said.method != Method::sums)
    d.notes.emplace_back("executed FLOPs: not known of cuDNN's transforms, the direct-equivalent ones stand for them");
  return d;
}

struct Forced {
  std::string id, algorithm, sentence;
  Method method = Method::sums;
  std::vector<Rule> rules = {};
};

// Source of the sentences and rules: cuDNN 9 API reference, cudnnConvolutionFwdAlgo_t and cudnnConvolutionForward.
std::vector<Forced> forced() {
  return {
      {"implicit_gemm", "IMPLICIT_GEMM", "Multiplies as a matrix product whose input matrix is never stored."},
      {"implicit_precomp_gemm", "IMPLICIT_PRECOMP_GEMM",
       "The same, with the offsets of the input matrix's elements computed beforehand."},
      {"gemm", "GEMM", "Stores the lowered input matrix, then multiplies."},
      {"direct", "DIRECT", "Convolves where the data lie; listed by NVIDIA, which documents that no layer can use it."},
      {"fft", "FFT", "Transforms whole images by FFT, multiplies, and transforms back.", Method::fft},
      {"fft_tiling", "FFT_TILING", "The same on tiles of the image, with less memory.", Method::fft},
      {"winograd", "WINOGRAD", "Winograd's algorithm in one kernel.", Method::winograd, cudnn_winograd_rules(3)},
      {"winograd_nonfused", "WINOGRAD_NONFUSED", "Winograd's algorithm, with the transformed tensors stored.",
       Method::winograd, cudnn_winograd_rules(5)},
  };
}

Algorithm forced_row(const Forced& f) {
  Algorithm row{
      .id = "cudnn." + f.id,
      .family = "cudnn",
      .unit = Unit::cc,
      .title = "cuDNN, " + f.algorithm + " forced",
      .sentence = f.sentence,
      .source = "cuDNN 9, cudnnConvolutionForward",
      .options = {},
      .rules = cudnn_legacy_rules(),
      .decide = [question = Question{f.algorithm, f.method}](const Request& r) { return decide(r, question); },
      .vendor = true,
  };
  row.rules.insert(row.rules.end(), f.rules.begin(), f.rules.end());
  return row;
}

Algorithm best_row() {
  return {
      .id = "cudnn.best",
      .family = "cudnn",
      .unit = Unit::cc,
      .title = "cuDNN, its fastest engine",
      .sentence =
          "Tries and times every engine there is, with the knobs that cuDNN's heuristics propose, and calls the "
          "fastest.",
      .source = "cuDNN 9, graph interface",
      .options = {{"exclude",
                   "Engines left out",
                   "Leave out the engines whose numerical notes name FFT or Winograd.",
                   {"none", "fft_winograd"},
                   "none"}},
      .rules = cudnn_rules(),
      .decide =
          [](const Request& request) {
            return decide(request, {kBest + (request.options.is("exclude", "none") ? "" : " but FFT and Winograd")});
          },
      .vendor = true,
  };
}

}  // namespace

std::vector<const Algorithm*> cudnn_rows() {
  static const std::vector<Algorithm> rows = [] {
    std::vector<Algorithm> made{best_row()};
    for (const Forced& f : forced()) made.push_back(forced_row(f));
    return made;
  }();
  std::vector<const Algorithm*> pointers;
  for (const Algorithm& row : rows) pointers.push_back(&row);
  return pointers;
}

bool workspace_known(const Plan& plan) {
  return plan.algorithm().family != "cudnn" ||
         std::ranges::none_of(plan.notes(), [](const std::string& note) { return note.starts_with(kNotAsked); });
}

}  // namespace convlens::gpu

#include "cli/paper/contenders.h"

#include <algorithm>
#include <array>

#include "algorithms/error.h"

namespace convlens::cli::paper {

namespace {

constexpr std::array kForced{"IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM",     "FFT",
                             "FFT_TILING",    "WINOGRAD_NONFUSED",     "WINOGRAD", "DIRECT"};

std::string small(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::vector<Contender> make() {
  constexpr DType f32 = DType::f32, f16 = DType::f16;
  constexpr Layout nchw = Layout::NCHW, nhwc = Layout::NHWC;
  std::vector<Contender> all{
      {"im2win CC", "im2win.cc:window=stored", f32, nchw},
      {"im2win CC, fused", "im2win.cc", f32, nchw},
      {"im2col+cuBLAS CC, by image", "im2col.cc:batching=image", f32, nchw},
      {"im2col+cuBLAS CC, full batch", "im2col.cc:batching=full", f32, nchw},
      {"cuDNN CC", "cudnn.best", f32, nchw},
      {"naive", "direct.cc:tiling=naive", f32, nchw},
      {"baseline", "im2win.tc:paper", f16, nhwc},
      {"wo_zigzag", "im2win.tc:paper,zigzag=off", f16, nhwc},
      {"wo_async", "im2win.tc:paper,async_copy=off", f16, nhwc},
      {"wo_double", "im2win.tc:paper,double_buffer=off", f16, nhwc},
      {"im2win TC, best options", "im2win.tc", f16, nhwc},
      {"im2col+cuBLAS TC, by image", "im2col.tc:gemm=cublas,batching=image", f16, nhwc},
      {"im2col+cuBLAS TC, full batch", "im2col.tc:gemm=cublas,batching=full", f16, nhwc},
      {"direct TC", "direct.tc", f16, nhwc},
      {"implicit GEMM TC", "implicit_gemm.tc", f16, nhwc},
      {"Winograd TC", "winograd.tc", f16, nhwc},
      {"FFT TC", "fft.tc", f16, nhwc},
      {"cuDNN TC", "cudnn.best", f16, nhwc},
  };
  for (const std::string algorithm : kForced) {
    const std::string run = "cudnn." + small(algorithm);
    all.push_back({"cuDNN " + algorithm + " CC", run, f32, nchw});
    all.push_back({"cuDNN " + algorithm + " TC", run, f16, nhwc});
    all.push_back({"cuDNN " + algorithm + " TC, NCHW", run, f16, nchw});  // some exist in this layout only
  }
  return all;
}

template <class Keep>
std::vector<Contender> those(Keep&& keep) {
  std::vector<Contender> kept;
  std::ranges::copy_if(contenders(), std::back_inserter(kept), keep);
  return kept;
}

bool is_cudnn(const Contender& c) { return c.run.starts_with("cudnn."); }

}  // namespace

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> all = make();
  return all;
}

std::vector<Contender> ablation() {
  return those([](const Contender& c) { return c.run.starts_with("im2win.tc:paper"); });
}

std::vector<Contender> forced(Unit unit) {
  return those([&](const Contender& c) { return is_cudnn(c) && c.unit() == unit && c.run != "cudnn.best"; });
}

std::vector<Contender> all_of_cudnn(Unit unit) {
  return those([&](const Contender& c) { return is_cudnn(c) && c.unit() == unit; });
}

const Contender& contender(const std::string& name) { return *std::ranges::find(contenders(), name, &Contender::name); }

Resolved resolve(const Contender& contender) {
  try {
    return {parse_run(contender.run), {}};
  } catch (const BadInput& unknown) {
    return {{}, contender.run + ": " + unknown.what()};
  }
}

}  // namespace convlens::cli::paper

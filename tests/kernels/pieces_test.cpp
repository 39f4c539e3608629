// A batch that a GPU row would cut into millions of pieces is refused at once: each has steps of its own in the
// program.
#include "kernels/common/pieces.h"

#include "algorithms/interface/registry.h"
#include "tests/catch.h"

using namespace convlens;

namespace {

Support support_of(const std::string& text, std::int64_t batch) {
  const Run run = parse_run(text);
  const ConvProblem problem({.n = batch, .ci = 4, .hi = 9, .wi = 9, .co = 4, .hf = 3, .wf = 3});
  return run.algorithm->supports(complete(*run.algorithm, {problem, DType::f32, {}, run.options}));
}

}  // namespace

TEST_CASE("as many pieces as a program may have are planned, and one more is refused with the number") {
  for (const char* run : {"fft.cc:chunk=2", "im2col.cc:batching=chunk,chunk_images=2", "winograd.cc:chunk_images=2"}) {
    INFO(run);
    CHECK(support_of(run, 0));
    const Support most = support_of(run, 2 * gpu::kMostPieces);
    INFO(most.reason);
    CHECK(most);
    for (const std::int64_t batch : {2 * gpu::kMostPieces + 1, std::int64_t{1} << 28}) {
      const Support refused = support_of(run, batch);
      CHECK_FALSE(refused);
      CHECK(refused.reason.find("n: " + std::to_string(batch) + ", must be ≤ 16384 pieces of 2 images") !=
            std::string::npos);
    }
  }
}

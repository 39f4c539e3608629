// Kernels compiled by NVRTC, which needs no GPU.
#include <future>

#include "algorithms/error.h"
#include "kernels/runtime.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/kernels/workshop.h"

using namespace convlens;
using namespace convlens::gpu;
using Catch::Matchers::Contains;
using convlens::testing::Workshop;

namespace {

const std::string kAdd = "extern \"C\" __global__ void probe(float* y, const Sizes s) { y[threadIdx.x] += s.n; }\n";

}  // namespace

TEST_CASE("a kernel is compiled for each architecture without a GPU") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  const std::string architecture = GENERATE("sm_80", "sm_90a", "sm_120");
  const Compiled compiled = runtime().compile(workshop.kernel(kAdd), architecture);
  CHECK(compiled.cubin.size() > 500);
  CHECK_THAT(compiled.ptx, Contains(".target " + architecture) && Contains(".entry probe"));
  CHECK(compiled.registers > 0);
  CHECK(compiled.spill_bytes == 0);
}

TEST_CASE("a kernel may include NVIDIA's headers") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  const Kernel kernel = workshop.kernel(
      "#include <cuda_fp16.h>\n#include <mma.h>\n#include <cuda/std/cstdint>\n"
      "extern \"C\" __global__ void probe(__half* y, const Sizes s) { y[0] = __hadd(y[0], y[1]); }\n");
  CHECK_NOTHROW(runtime().compile(kernel, "sm_90a"));
}

TEST_CASE("registers, shared memory and spills are those of the kernel that is asked for") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  Kernel kernel = workshop.kernel(
      "extern \"C\" __global__ void other(float* y, const Sizes s) {\n"
      "  __shared__ float row[64]; row[threadIdx.x] = y[threadIdx.x]; __syncthreads(); y[0] = row[5]; }\n"
      // 200 values that live at once and are kept from being recomputed, in 32 registers a thread.
      "extern \"C\" __global__ void __launch_bounds__(1024, 2) probe(float* y, const Sizes s) {\n"
      "  float v[200];\n"
      "  for (int k = 0; k < 200; ++k) v[k] = y[k * 1024 + threadIdx.x];\n"
      "  __syncthreads();\n"
      "  for (int k = 0; k < 200; ++k) y[k * 1024 + threadIdx.x + 1] = v[199 - k] * v[(k * 7) % 200]; }\n");
  const Compiled spilling = runtime().compile(kernel, "sm_90a");
  CHECK(spilling.registers == 32);
  CHECK(spilling.spill_bytes > 0);
  CHECK(spilling.shared_bytes == 0);
  kernel.entry = "other";
  const Compiled other = runtime().compile(kernel, "sm_90a");
  CHECK(other.shared_bytes == 256);
  CHECK(other.spill_bytes == 0);
  CHECK(workshop.entries().size() == 1);
  kernel.entry = "missing";
  CHECK_THROWS_WITH(runtime().compile(kernel, "sm_90a"), Contains("has no function extern \"C\" __global__ missing"));
}

TEST_CASE("an error in a text is shown with its file and line") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  const Kernel kernel = workshop.kernel("// one line\nextern \"C\" __global__ void probe(const Sizes s) { oops; }\n");
  CHECK_THROWS_AS(runtime().compile(kernel, "sm_90a"), BadInput);
  CHECK_THROWS_WITH(runtime().compile(kernel, "sm_90a"),
                    Contains(kernel.file + "(2): error") && Contains("\"oops\" is undefined"));
  CHECK(workshop.entries().empty());
}

TEST_CASE("an architecture that the compiler does not know is an error in one line") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  CHECK_THROWS_WITH(runtime().compile(workshop.kernel(kAdd), "sm_10"), Contains("sm_10"));
}

TEST_CASE("a compiled kernel is kept on disk with the text that was compiled") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  const Kernel kernel = workshop.kernel(kAdd);
  const Compiled compiled = runtime().compile(kernel, "sm_90a");
  REQUIRE(workshop.entries().size() == 1);
  std::ifstream text(workshop.entries().front() / "kernel.cu");
  CHECK(std::string(std::istreambuf_iterator<char>(text), {}) == source(kernel));
  CHECK(std::filesystem::file_size(workshop.entries().front() / "kernel.cubin") == compiled.cubin.size());
  CHECK_THAT(runtime().disk_cache_state(), Contains(workshop.entries().front().parent_path().string()));
}

TEST_CASE("without the disk cache nothing is written") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  runtime().use_disk_cache(false);
  runtime().compile(workshop.kernel(kAdd), "sm_90a");
  CHECK(workshop.entries().empty());
  CHECK(runtime().disk_cache_state() == "off");
  runtime().use_disk_cache(true);
}

TEST_CASE("threads that compile the same kernel at once get the same") {
  if (testing::no_runtime()) return;
  Workshop workshop;
  const Kernel kernel = workshop.kernel(kAdd);
  std::vector<std::future<Compiled>> all;
  for (int k = 0; k < 6; ++k)
    all.push_back(std::async(std::launch::async, [&] { return runtime().compile(kernel, "sm_90a"); }));
  const Compiled first = all.front().get();
  for (std::size_t k = 1; k < all.size(); ++k) CHECK(all[k].get().cubin == first.cubin);
  CHECK(workshop.entries().size() == 1);
}

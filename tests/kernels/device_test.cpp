// A GPU's memory: what goes there and comes back, and what happens when it is too small.
#include "algorithms/measure/device.h"

#include <algorithm>
#include <cstring>

#include "algorithms/error.h"
#include "algorithms/tensor/numbering.h"
#include "algorithms/tensor/random.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"

using namespace convlens;
using namespace convlens::testing;
using Catch::Matchers::Contains;

TEST_CASE("a GPU says what it is", "[gpu]") {
  if (no_gpu()) return;
  const DeviceFacts& facts = first_gpu().facts();
  CHECK(facts.name.find("NVIDIA") != std::string::npos);
  CHECK(facts.architecture.substr(0, 3) == "sm_");
  CHECK(facts.multiprocessors > 0);
  CHECK(facts.clock_mhz > 100);
  CHECK(facts.memory_clock_mhz > 100);
  CHECK(facts.memory > first_gpu().free_memory());
  CHECK(facts.l2 > 0);
  CHECK(facts.shared_per_block >= 48 << 10);
  CHECK_FALSE(facts.driver.empty());
  WARN(facts.name << ", " << facts.architecture << ", " << facts.multiprocessors << " SMs, " << facts.clock_mhz
                  << " MHz, memory " << facts.memory_clock_mhz << " MHz, " << facts.memory << " B, L2 " << facts.l2
                  << " B, shared " << facts.shared_per_block << " B, driver " << facts.driver << ", CUDA "
                  << facts.toolkit);
}

TEST_CASE("too much memory is refused with the numbers, and the next job works", "[gpu]") {
  if (no_gpu()) return;
  Device& gpu = first_gpu();
  const std::int64_t too_much = 2 * gpu.facts().memory;
  CHECK_THROWS_AS(gpu.allocate(too_much), Unsupported);
  CHECK_THROWS_WITH(gpu.allocate(too_much),
                    Contains("allocating " + std::to_string(too_much) + " bytes: out of memory") && Contains("free"));
  const DeviceBuffer small(gpu, 1 << 20);
  gpu.set(small.data(), std::byte{42}, small.bytes());
  std::vector<std::byte> back(1 << 20);
  gpu.download(back, small.data());
  CHECK(std::count(back.begin(), back.end(), std::byte{42}) == small.bytes());
  CHECK_NOTHROW(gpu.synchronize());
}

TEST_CASE("a tensor filled with random numbers on the GPU is the host's, bit for bit", "[gpu]") {
  if (no_gpu()) return;
  const DType dtype = GENERATE(DType::f16, DType::bf16, DType::f32, DType::f64);
  const Layout layout = GENERATE(Layout::NCHW, Layout::NHWC, Layout::CHWN);
  const Shape shape{3, 5, 71, 301};
  const std::uint64_t key = 0xfedcba9876543210u;
  Tensor expected(dtype, layout, shape), got(dtype, layout, shape);
  fill(expected.view(), [&](std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
    return random_uniform(key, static_cast<std::uint64_t>(number_of({n, c, h, w}, shape)));
  });
  const GpuTensor tensor(dtype, layout, shape);
  first_gpu().fill_uniform(tensor.view(), key);
  tensor.download(got);
  CHECK(std::memcmp(got.view().data, expected.view().data, static_cast<std::size_t>(got.bytes())) == 0);
}

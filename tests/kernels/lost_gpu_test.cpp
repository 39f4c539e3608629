// A kernel that writes where it may not: CUDA gives the GPU up for the rest of the process, which must be said.
#include <cstdio>
#include <filesystem>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/kernels/workshop.h"

using namespace convlens;
using namespace convlens::gpu;
using namespace convlens::testing;
using Catch::Matchers::Contains;

// Run by the next test, in a process of its own.
TEST_CASE("this process loses its GPU", "[.][lost_gpu]") {
  Workshop workshop;
  Launch launch{.sentence = "writes to address 16",
                .kernel = workshop.kernel("extern \"C\" __global__ void probe(float* y, const Sizes s) { y[4] = 1; }"),
                .grid = {1},
                .block = {1},
                .arguments = {bias()}};
  const Request request{.problem = ConvProblem({})};
  std::vector<Step> steps{launch};
  runtime().execute(std::make_shared<const Program>(Program{request, std::move(steps)}), {}, Workspace({}, {}), {});
  CHECK_THROWS_AS(first_gpu().synchronize(), NoDevice);
  CHECK_THROWS_WITH(first_gpu().allocate(1024), Contains("gpu0: allocating 1024 bytes: an illegal memory access") &&
                                                    Contains("the GPU is lost to this process: start again"));
}

TEST_CASE("a GPU that a kernel has made unusable is named as lost by each call that follows", "[gpu]") {
  if (no_gpu()) return;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::FILE* const output = popen(("'" + self + "' '[lost_gpu]' 2>&1").c_str(), "r");
  REQUIRE(output != nullptr);
  std::string text;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) text += static_cast<char>(c);
  INFO(text);
  CHECK(pclose(output) == 0);
  CHECK_THAT(text, Contains("All tests passed (2 assertions in 1 test case)"));
}

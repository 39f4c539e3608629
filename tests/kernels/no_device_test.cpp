// Why there is no GPU: one sentence for each state of a driver.
#include "kernels/no_device.h"

#include <filesystem>
#include <fstream>

#include "kernels/runtime.h"
#include "tests/catch.h"
#include "tests/kernels/gpu.h"
#include "tests/support/command.h"

using namespace convlens;
using namespace convlens::gpu;

namespace {
// As CUDA 13 finds a machine, but for what a test changes.
DriverState state(int status, int driver) {
  DriverState s;
  s.status = status;
  s.reason = "CUDA's sentence";
  s.driver = driver;
  s.toolkit = 13000;
  return s;
}
}  // namespace

TEST_CASE("a machine without a driver says so, not that its driver is old") {
  DriverState none = state(35, 0);
  none.count = 7;  // CUDA leaves it as it was
  none.loader = "libcuda.so.1: cannot open shared object file: No such file or directory";
  CHECK(no_device_sentence(none) == "no NVIDIA driver: libcuda.so.1 is not on this system");
}

TEST_CASE("a driver's library that is there and broken is told in the loader's words") {
  DriverState broken = state(35, 0);
  broken.loader = "libcuda.so.1: invalid ELF header";
  CHECK(no_device_sentence(broken) ==
        "no NVIDIA driver: libcuda.so.1 cannot be loaded (libcuda.so.1: invalid ELF header)");
  broken.loader = "libnvidia.so: cannot open shared object file: No such file or directory";
  CHECK_THAT(no_device_sentence(broken), Catch::Matchers::Contains("cannot be loaded (libnvidia.so: cannot open"));
  broken.loader = "";
  CHECK(no_device_sentence(broken) ==
        "no NVIDIA driver: libcuda.so.1 is on this system and does not answer: see nvidia-smi");
}

TEST_CASE("the loader is asked about a libcuda.so.1 that is no library") {
  if (testing::no_runtime() || !runtime().why_no_device().starts_with("no NVIDIA driver")) return;
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/libcuda.so.1") << "no library";
  const CommandResult result = run_command(
      {.arguments = {"trace", "direct.cc", "--layer", "cv9"}, .environment = {{"LD_LIBRARY_PATH", folder.path()}}});
  CHECK(result.exit == 4);
  REQUIRE(result.err_lines().size() == 1);
  CHECK_THAT(result.err, Catch::Matchers::Contains("libcuda.so.1 cannot be loaded (") &&
                             Catch::Matchers::Contains(folder.path() + "/libcuda.so.1: "));
}

TEST_CASE("a driver older than the toolkit is named with both versions") {
  CHECK(no_device_sentence(state(35, 12020)) ==
        "the NVIDIA driver knows CUDA 12.2, older than the toolkit's 13.0: update the driver, or build with an older "
        "toolkit");
}

TEST_CASE("a driver that finds no GPU says so, and names CUDA_VISIBLE_DEVICES when it hides them") {
  CHECK(no_device_sentence(state(100, 13000)) == "no NVIDIA GPU: the driver is there and finds none");
  DriverState hidden = state(100, 13000);
  hidden.visible = "";
  CHECK(no_device_sentence(hidden) == "no NVIDIA GPU to be seen: CUDA_VISIBLE_DEVICES is \"\"");
}

TEST_CASE("any other error of the driver is passed on with CUDA's own words") {
  CHECK(no_device_sentence(state(803, 12080)) == "CUDA's sentence (CUDA error 803): see nvidia-smi");
}

TEST_CASE("where there is a GPU there is no such sentence") {
  DriverState fine = state(0, 13000);
  fine.count = 1;
  CHECK(no_device_sentence(fine) == "");
}

TEST_CASE("the runtime has devices, or one line that says why not") {
  if (testing::no_runtime()) return;
  const std::string why = runtime().why_no_device();
  CHECK(runtime().devices().empty() == !why.empty());
  CHECK(why.find('\n') == std::string::npos);
  if (!why.empty()) CHECK_THROWS_WITH(runtime().fft_workspace_bytes({}), "device: gpu0, " + why);
}

TEST_CASE("a test that needs a GPU is skipped where there is none, and fails where one is required") {
  if (why_no_device().empty()) return;
  const auto exit = [](const char* required) {
    return run_command({.arguments = {"tiles that the copy engine fetches keep their promises on a GPU"},
                        .environment = {{"CONVLENS_REQUIRE_GPU", required}},
                        .program = std::filesystem::read_symlink("/proc/self/exe")})
        .exit;
  };
  CHECK(exit("") == 0);
  CHECK(exit("0") == 0);
  CHECK(exit("1") == 1);
}

// The module convlens_cuda.so: what it hands over to the program that loads it.
#include "algorithms/interface/module.h"

#include "kernels/no_device.h"
#include "kernels/runtime.h"
#include "kernels/runtime/compiler.h"
#include "kernels/runtime/device.h"
#include "kernels/runtime/discovery.h"
#include "kernels/runtime/status.h"

namespace convlens::gpu {

namespace {

class CudaRuntime final : public Runtime {
 public:
  std::vector<Device*> devices() override { return found_devices().devices; }
  std::string why_no_device() const override { return found_devices().why_none; }

  void execute(const std::shared_ptr<const Program>& program, const Arguments& arguments, const Workspace& workspace,
               Stream stream) override {
    cuda_device(program->request.place.index)
        .executor()
        .execute(*program, {arguments, workspace, static_cast<cudaStream_t>(stream.handle)});
  }

  std::vector<BlockSpan> spans(const Program& program) override {
    return cuda_device(program.request.place.index).executor().spans(program);
  }

  Compiled compile(const Kernel& kernel, const std::string& architecture, const std::function<bool()>& stop) override {
    return compiler().compile(kernel, architecture, stop);
  }
  void use_disk_cache(bool wanted) override { compiler().use_disk(wanted); }
  std::string disk_cache_state() const override { return compiler().disk_state(); }

  std::int64_t fft_workspace_bytes(const Fft& fft) override {
    cuda_device(0).make_current();
    return fft_work_bytes(fft);
  }

  std::vector<std::pair<std::string, std::string>> libraries() const override {
    int cuda = 0, nvrtc_major = 0, nvrtc_minor = 0;
    check(cudaRuntimeGetVersion(&cuda), "asking for CUDA's version");
    check(nvrtcVersion(&nvrtc_major, &nvrtc_minor), "asking for its version");
    const auto version = [](const auto& get) {
      std::string text;
      for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
        int number = 0;
        check(get(part, &number), "asking for its version");
        text += (text.empty() ? "" : ".") + std::to_string(number);
      }
      return text;
    };
    std::vector<std::pair<std::string, std::string>> all{
        {"CUDA", cuda_version(cuda)},
        {"NVRTC", std::to_string(nvrtc_major) + "." + std::to_string(nvrtc_minor)},
        {"cuBLAS", version(cublasGetProperty)},
        {"cuFFT", version(cufftGetProperty)}};
    for (auto& vendor : vendor_versions()) all.push_back(std::move(vendor));
    return all;
  }

  VendorAnswer ask(const Request& request, const VendorCall& call) override {
    cuda_device(request.place.index).make_current();
    return gpu::ask(request, call);
  }
};

}  // namespace

}  // namespace convlens::gpu

extern "C" const convlens::ModuleExports* convlens_module() {
  static convlens::gpu::CudaRuntime runtime;
  static const convlens::ModuleExports exports{.rows = {}, .services = static_cast<convlens::gpu::Runtime*>(&runtime)};
  return &exports;
}

// cuDNN 9, opened when it is first asked for, so that everything else works where it isn't installed.
#pragma once

#include <cudnn.h>

#include <string>

namespace convlens::gpu {

// The functions of cuDNN that are called here: `cudnn().Create(&handle)` is cudnnCreate.
struct Cudnn {
#define CONVLENS_CUDNN_FUNCTIONS(each)                                                                                 \
  each(GetVersion) each(GetErrorString) each(GetLastErrorString) each(Create) each(Destroy) each(SetStream)            \
      each(CreateTensorDescriptor) each(DestroyTensorDescriptor) each(SetTensor4dDescriptor)                           \
          each(CreateFilterDescriptor) each(DestroyFilterDescriptor) each(SetFilter4dDescriptor)                       \
              each(CreateConvolutionDescriptor) each(DestroyConvolutionDescriptor) each(SetConvolution2dDescriptor)    \
                  each(SetConvolutionGroupCount) each(SetConvolutionMathType) each(GetConvolutionForwardWorkspaceSize) \
                      each(ConvolutionForward) each(BackendCreateDescriptor) each(BackendDestroyDescriptor)            \
                          each(BackendSetAttribute) each(BackendGetAttribute) each(BackendFinalize)                    \
                              each(BackendExecute)
#define CONVLENS_DECLARE(name) decltype(&::cudnn##name) name = nullptr;
  CONVLENS_CUDNN_FUNCTIONS(CONVLENS_DECLARE)
#undef CONVLENS_DECLARE
};

// Throws Unsupported, saying where it was looked for, when there is no cuDNN 9.
const Cudnn& cudnn();
std::string cudnn_version();  // "9.19.0", or "not found"

// What the library says of `status`, in one line: "CUDNN_STATUS_NOT_SUPPORTED_SHAPE, …".
std::string cudnn_sentence(cudnnStatus_t status);

// Throws Unsupported with that sentence when `call` did not succeed.
void check_cudnn(cudnnStatus_t status, const std::string& call);

// A handle of the current device on a stream. Handles are made for as many threads as are at work at once, and kept:
// making one allocates, which a stream that is being captured would not allow.
class CudnnHandle {
 public:
  explicit CudnnHandle(cudaStream_t stream);
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  operator cudnnHandle_t() const { return handle_; }

 private:
  int device_ = 0;
  cudnnHandle_t handle_ = nullptr;
};

}  // namespace convlens::gpu

// A descriptor of cuDNN's graph interface, with an owner, and its attributes with their C++ types.
// Source: cuDNN 9 API reference, cudnn_graph library, backend descriptor types.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/runtime/cudnn_library.h"

namespace convlens::gpu {

// The tag that cuDNN wants beside a value of type T.
template <class T>
inline constexpr cudnnBackendAttributeType_t kAttributeType = [] {
  if constexpr (std::is_same_v<T, std::int64_t>) return CUDNN_TYPE_INT64;
  if constexpr (std::is_same_v<T, float>) return CUDNN_TYPE_FLOAT;
  if constexpr (std::is_same_v<T, bool>) return CUDNN_TYPE_BOOLEAN;
  if constexpr (std::is_same_v<T, cudnnDataType_t>) return CUDNN_TYPE_DATA_TYPE;
  if constexpr (std::is_same_v<T, cudnnConvolutionMode_t>) return CUDNN_TYPE_CONVOLUTION_MODE;
  if constexpr (std::is_same_v<T, cudnnPointwiseMode_t>) return CUDNN_TYPE_POINTWISE_MODE;
  if constexpr (std::is_same_v<T, cudnnBackendHeurMode_t>) return CUDNN_TYPE_HEUR_MODE;
  if constexpr (std::is_same_v<T, cudnnBackendKnobType_t>) return CUDNN_TYPE_KNOB_TYPE;
  if constexpr (std::is_same_v<T, cudnnBackendNumericalNote_t>) return CUDNN_TYPE_NUMERICAL_NOTE;
  if constexpr (std::is_same_v<T, cudnnBackendBehaviorNote_t>) return CUDNN_TYPE_BEHAVIOR_NOTE;
  if constexpr (std::is_same_v<T, cudnnHandle_t>) return CUDNN_TYPE_HANDLE;
  if constexpr (std::is_same_v<T, void*>) return CUDNN_TYPE_VOID_PTR;
}();

// Owned by all that refer to it: a plan needs its configuration, that its engine, that the graph, and so on.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    check_cudnn(cudnn().BackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor");
    handle_ = std::shared_ptr<void>(made, [](void* handle) { cudnn().BackendDestroyDescriptor(handle); });
  }

  cudnnBackendDescriptor_t get() const { return handle_.get(); }

  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, std::span<const T> values) {
    return set(name, kAttributeType<T>, static_cast<std::int64_t>(values.size()), values.data());
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<T>& values) {
    return set(name, std::span<const T>(values));
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, const T& value) {
    return set(name, std::span<const T>(&value, 1));
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    return set(name, std::vector<Descriptor>{value});
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Descriptor>& values) {
    std::vector<cudnnBackendDescriptor_t> handles;
    for (const Descriptor& value : values) {
      handles.push_back(value.get());
      parts_.push_back(value.handle_);
      parts_.insert(parts_.end(), value.parts_.begin(), value.parts_.end());
    }
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(handles.size()), handles.data());
  }

  // Checks and closes the descriptor. What cuDNN answers here is whether it can do what was described.
  cudnnStatus_t try_finalize() { return cudnn().BackendFinalize(get()); }
  Descriptor& finalize() {
    check_cudnn(try_finalize(), "cudnnBackendFinalize");
    return *this;
  }

  // At most `most` values.
  template <class T>
  std::vector<T> values(cudnnBackendAttributeName_t name, std::int64_t most) const {
    std::vector<T> found(static_cast<std::size_t>(most));
    std::int64_t count = 0;
    check_cudnn(cudnn().BackendGetAttribute(get(), name, kAttributeType<T>, most, &count, found.data()),
                "cudnnBackendGetAttribute");
    found.resize(static_cast<std::size_t>(std::min(count, most)));
    return found;
  }
  template <class T>
  T value(cudnnBackendAttributeName_t name) const {
    return values<T>(name, 1).at(0);
  }

  // At most `most` descriptors of `type`, which cuDNN fills in.
  std::vector<Descriptor> descriptors(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                                      std::int64_t most) const;
  std::int64_t count_descriptors(cudnnBackendAttributeName_t name) const;

 private:
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                  const void* values) {
    check_cudnn(cudnn().BackendSetAttribute(get(), name, type, count, values), "cudnnBackendSetAttribute");
    return *this;
  }

  std::shared_ptr<void> handle_;
  std::vector<std::shared_ptr<void>> parts_;
};

}  // namespace convlens::gpu

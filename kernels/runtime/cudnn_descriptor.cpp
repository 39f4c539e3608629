#include "kernels/runtime/cudnn_descriptor.h"

#include <algorithm>

namespace convlens::gpu {

std::vector<Descriptor> Descriptor::descriptors(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                                                std::int64_t most) const {
  std::vector<Descriptor> found;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t k = 0; k < most; ++k) handles.push_back(found.emplace_back(type).get());
  std::int64_t count = 0;
  check_cudnn(cudnn().BackendGetAttribute(get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, handles.data()),
              "cudnnBackendGetAttribute");
  found.erase(found.begin() + std::min(count, most), found.end());
  return found;
}

std::int64_t Descriptor::count_descriptors(cudnnBackendAttributeName_t name) const {
  std::int64_t count = 0;
  check_cudnn(cudnn().BackendGetAttribute(get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
              "cudnnBackendGetAttribute");
  return count;
}

}  // namespace convlens::gpu

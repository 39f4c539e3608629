#include "kernels/tensor_map.h"

namespace convlens::gpu {

namespace {
template <class Numbers>
std::string joined(const Numbers& numbers, const char* between) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : between) + std::to_string(number);
  return text;
}
}  // namespace

std::string text(const TensorMap& map) {
  std::string text = std::string(name(map.dtype)) + " " + joined(map.extents, " × ");
  if (map.im2col)
    text += ", windows of " + std::to_string(map.im2col->pixels) + " pixels × " + std::to_string(map.im2col->channels) +
            " channels, origins from (" + joined(map.im2col->lower, ", ") + ") to the end + (" +
            joined(map.im2col->upper, ", ") + ")";
  else
    text += ", box " + joined(map.box, " × ");
  if (!map.steps.empty()) text += ", steps " + joined(map.steps, " × ");
  return text;
}

}  // namespace convlens::gpu

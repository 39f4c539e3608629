#include "algorithms/measure/placed_buffer.h"

#include <algorithm>

namespace convlens {

PlacedBuffer::PlacedBuffer(Place place, std::int64_t bytes) : place_(place) {
  if (place.kind == Place::Kind::host)
    host_ = HostBuffer(bytes);
  else
    there_ = DeviceBuffer(device(place), bytes);
}

std::span<std::byte> PlacedBuffer::span() const {
  std::byte* const data = place_.kind == Place::Kind::host ? host_.data() : there_.data();
  return {data, static_cast<std::size_t>(bytes())};
}

void PlacedBuffer::set(std::byte value) {
  if (place_.kind == Place::Kind::host)
    std::ranges::fill(span(), value);
  else if (bytes() > 0)
    device(place_).set(there_.data(), value, bytes());
}

void PlacedBuffer::write(std::int64_t offset, std::span<const std::byte> from) {
  if (place_.kind == Place::Kind::host)
    std::ranges::copy(from, host_.data() + offset);
  else if (!from.empty())
    device(place_).upload(there_.data() + offset, from);
}

void PlacedBuffer::read(std::int64_t offset, std::span<std::byte> to) const {
  if (place_.kind == Place::Kind::host)
    std::copy_n(host_.data() + offset, to.size(), to.data());
  else if (!to.empty())
    device(place_).download(to, there_.data() + offset);
}

Mirror::Mirror(Place place, std::span<const std::byte> host)
    : host_(host), buffer_(place, place == Place{} ? 0 : static_cast<std::int64_t>(host.size())) {
  if (!on_host()) buffer_.write(0, host);
}

void Mirror::download(std::span<std::byte> host) const {
  if (!on_host()) buffer_.read(0, host);
}

std::byte* Mirror::there(const void* host) const {
  return host == nullptr ? nullptr : buffer_.span().data() + (static_cast<const std::byte*>(host) - host_.data());
}

std::span<std::byte> Mirror::span(std::span<std::byte> part) const {
  return on_host() ? part : std::span(there(part.data()), part.size());
}

TensorView Mirror::view(TensorView view) const {
  if (!on_host()) view.data = there(view.data), view.place = buffer_.place();
  return view;
}

ConstTensorView Mirror::view(ConstTensorView view) const {
  if (!on_host()) view.data = there(view.data), view.place = buffer_.place();
  return view;
}

std::span<std::byte> bytes_of(Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.view().data), static_cast<std::size_t>(tensor.bytes())};
}
std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.view().data), static_cast<std::size_t>(tensor.bytes())};
}

BiasView as_bias(const ConstTensorView& view) {
  return {view.data, view.dtype, view.shape[0], view.strides[0], view.place};
}

}  // namespace convlens

// Memory in a place: the host's or a device's, with one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/measure/device.h"
#include "algorithms/tensor/place.h"
#include "algorithms/tensor/tensor.h"

namespace convlens {

class PlacedBuffer {
 public:
  PlacedBuffer() = default;

  // Holds garbage at first. Throws Unsupported with the bytes asked for when there is not so much, NoDevice when the
  // device is not there.
  PlacedBuffer(Place place, std::int64_t bytes);

  Place place() const { return place_; }
  std::int64_t bytes() const { return host_.bytes() + there_.bytes(); }

  // The memory as a plan takes it; only of the host's may the program read a byte itself.
  std::span<std::byte> span() const;

  void set(std::byte value);
  void write(std::int64_t offset, std::span<const std::byte> from);
  void read(std::int64_t offset, std::span<std::byte> to) const;

 private:
  Place place_;
  HostBuffer host_;
  DeviceBuffer there_;  // one of the two
};

// Host memory, and its copy in the place where a plan runs: on the host that is the memory itself.
class Mirror {
 public:
  // Copies all of `host`, which must outlive the mirror.
  Mirror(Place place, std::span<const std::byte> host);

  // Copies everything back into `host`, the memory it was made with; on a device that waits for the work before.
  void download(std::span<std::byte> host) const;

  // The part of it that is, there, `part` of the host memory.
  std::span<std::byte> span(std::span<std::byte> part) const;

  // The view whose elements are, there, those that `view` has in the host memory.
  TensorView view(TensorView view) const;
  ConstTensorView view(ConstTensorView view) const;

 private:
  std::byte* there(const void* host) const;
  bool on_host() const { return buffer_.place() == Place{}; }

  std::span<const std::byte> host_;
  PlacedBuffer buffer_;  // empty on the host
};

// The bytes of a tensor.
std::span<std::byte> bytes_of(Tensor& tensor);
std::span<const std::byte> bytes_of(const Tensor& tensor);

// C_o×1×1×1 values as a plan takes them.
BiasView as_bias(const ConstTensorView& view);

}  // namespace convlens

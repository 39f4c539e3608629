// Where the bytes of a tensor are: in host memory, or on a numbered device.
#pragma once

#include <cstdint>

namespace convlens {

struct Place {
  enum class Kind : std::uint8_t { host, device };
  Kind kind = Kind::host;
  int index = 0;  // which device; 0 on the host

  bool operator==(const Place&) const = default;
};

}  // namespace convlens

#include "kernels/common/hopper.h"

namespace convlens::gpu {

Option vector_io_option() {
  return {"vector_io",
          "Vector loads and stores",
          "Threads move eight values at a time, where eight channels lie together.",
          {"on", "off"},
          "on",
          true};
}

Option jitter_option() {
  return {"jitter",
          "Jitter",
          "Delay warps at random, to test that results hang on no warp being faster than another.",
          {"off", "on"},
          "off"};
}

}  // namespace convlens::gpu

// The sizes of a layer that can be set one by one: their names in messages and files, and their symbols in formulas.
#pragma once

#include <array>
#include <cstdint>

#include "algorithms/problem/conv_problem.h"

namespace convlens::viewer {

struct LayerSize {
  const char* name;    // as in messages and state files: "stride_h"
  const char* symbol;  // as in formulas: "s_h"
  std::int64_t ConvSpec::*member;
  std::int64_t least, most;  // of a slider; the sizes themselves may go beyond
};

inline constexpr std::array kLayerSizes{
    LayerSize{"n", "N", &ConvSpec::n, 1, 256},
    LayerSize{"ci", "C_i", &ConvSpec::ci, 1, 512},
    LayerSize{"hi", "H_i", &ConvSpec::hi, 1, 256},
    LayerSize{"wi", "W_i", &ConvSpec::wi, 1, 256},
    LayerSize{"co", "C_o", &ConvSpec::co, 1, 512},
    LayerSize{"hf", "H_f", &ConvSpec::hf, 1, 11},
    LayerSize{"wf", "W_f", &ConvSpec::wf, 1, 11},
    LayerSize{"stride_h", "s_h", &ConvSpec::stride_h, 1, 4},
    LayerSize{"stride_w", "s_w", &ConvSpec::stride_w, 1, 4},
    LayerSize{"pad_top", "pad top", &ConvSpec::pad_top, 0, 8},
    LayerSize{"pad_bottom", "bottom", &ConvSpec::pad_bottom, 0, 8},
    LayerSize{"pad_left", "left", &ConvSpec::pad_left, 0, 8},
    LayerSize{"pad_right", "right", &ConvSpec::pad_right, 0, 8},
    LayerSize{"dilation_h", "d_h", &ConvSpec::dilation_h, 1, 4},
    LayerSize{"dilation_w", "d_w", &ConvSpec::dilation_w, 1, 4},
    LayerSize{"groups", "groups", &ConvSpec::groups, 1, 64},
};

}  // namespace convlens::viewer

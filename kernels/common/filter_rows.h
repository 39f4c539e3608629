// The filter as the tensor cores' rows on Hopper read it: one row an output channel, its values in the order (u, v, c).
//
//   row[o][t·channels + c] = w(o, c, u, v),   t = u·W_f + v
//
// A filter in OHWI is that already, where its rows are multiples of 16 bytes, as the copy engine asks; any other is
// packed by kernels/common/pack_rows.cu.
#pragma once

#include "algorithms/interface/stage.h"
#include "kernels/program.h"

namespace convlens::gpu {

struct FilterRows {
  std::int64_t channels = 1, pitch = 1;  // values of a tap, and of a row
  bool packed = false;

  // `channels` ≥ C_i/groups of a tap; what is beyond is zero.
  FilterRows(const Request& request, std::int64_t channels);

  Stage stage(const Request& request) const;    // "filter", where packed
  Launch launch(const Request& request) const;  // w → buffer "filter"

  // As the copy engine sees them: 64 values of k × `rows` output channels a tile. By taps its coordinates are
  // (c, tap, o), else (k, 0, o); what lies outside is zero.
  Argument by_taps(const Request& request, int rows) const;
  Argument whole(const Request& request, int rows) const;
};

}  // namespace convlens::gpu

// The steps of winograd.cc and winograd.tc and the stages between them: Winograd as a chain of kernels.
//
//   transform_input    V = Bᵀ d B       n_h·n_w matrices (tiles, C_i)
//   transform_filter   U = G g Gᵀ       n_h·n_w matrices (C_i/G, C_o), on tensor cores (C_o, C_i/G)
//   gemm               M = V·U          n_h·n_w matrices (tiles, C_o)
//   transform_output   Y = Aᵀ M A
//
// V and M follow the layouts of x and y: channels are their fastest index in NHWC, tiles otherwise. The chain may be
// run for a chunk of images at a time. On tensor cores V and U are short, and M is not. Fused, all but the filter's
// transform is one kernel, and V and M are not stored.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/winograd/nested.h"
#include "kernels/program.h"

namespace convlens::gpu {

// Everything that the steps of a call are written from.
struct Chain {
  Request request;
  std::shared_ptr<const Nested> nested;
  bool fused;
  std::int64_t chunk;                     // images
  bool images_fastest;                    // among the tiles of a chunk
  bool v_tiles_fastest, m_tiles_fastest;  // among tile and channel
  bool u_inputs_fastest;                  // among input and output channel: as tensor cores read it best

  // `resolved` is the request with its m chosen; chunk_images ≤ N.
  Chain(const Request& request, const Request& resolved, std::int64_t chunk_images);

  const ConvProblem& problem() const { return request.problem; }
  std::int64_t tiles() const { return chunk * nested->tiles(); }  // of a chunk
};

// V, U and M in the order in which the kernels write them; V and M hold one chunk at a time.
std::vector<Stage> stages(const Chain& chain);

// Where cuBLAS multiplies, it works in `workspace`.
std::vector<Step> steps(const Chain& chain, const Buffer& workspace);

}  // namespace convlens::gpu

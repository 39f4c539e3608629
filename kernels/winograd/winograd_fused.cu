// Winograd F(2×2, 3×3) in one kernel: V and M exist only in shared memory and registers.
//
//   Y = Aᵀ [ Σ_c (G g Gᵀ) ⊙ (Bᵀ d B) ] A
//
//            x: 4×4 tiles                U, from transform_filter                y
//   +-----+        V (16, 8, 32)         U (16, 8, 64)      M (16, 32, 64)     +-----+
//   | +-+ |  Bᵀ d B  points, channels,     points,            in registers    | +-+ |
//   | +-+ | ------->    tiles      ------> channels,  ------>  warp w has ---->| +-+ |
//   +-----+                                outputs          points 2w, 2w + 1  +-----+
//
// A block computes 32 tiles of 64 output channels, 8 input channels at a time. For each slice of 8 a thread transforms
// one tile of one channel, 8·32 = 256 of them; then 16 small outer products are added up, two points a warp and 8×8
// sums a thread and point: 128 multiply-adds for 32 numbers from shared memory. Meanwhile the next slice of U is copied
// asynchronously, and the next tiles wait in registers. At the end M goes through shared memory, 32 output channels at
// a time, to threads that each take all 16 points of a tile for the output transform.
//
// Tiles, channels and outputs beyond the layer are zeros and are not stored.
//
// Source: Lavin & Gray 2016, arXiv 1509.09308.
#include "common/copy_async.cuh"
#include "winograd/winograd.cuh"
#ifndef CONVLENS_CONFIGURED
constexpr bool vector_u = true;
#endif

constexpr int block_tiles = 32, block_outputs = 64, block_channels = 8, block_threads = 256;
constexpr int slice_v = points * block_channels * block_tiles, slice_u = points * block_channels * block_outputs;
constexpr int round_outputs = 32, pitch_m = 32 + 4, slice_m = 32 * pitch_m;  // of M in shared memory, of one point

// Where tile t of channel c lies in a row of V. Where neighbouring threads write eight channels, the fours of tiles
// change places from channel to channel: all banks are written to, and each four is still one vector.
__device__ __forceinline__ int place_of_tile(int t, int c) {
  return x_layout == NHWC ? (t / 4 ^ c) * 4 + t % 4 : t;
}

static_assert(points == 16, "a warp takes two of sixteen points");
static_assert(points * slice_m <= 2 * (slice_v + slice_u), "M uses the room of V and U");

extern "C" __global__ void __launch_bounds__(block_threads, 1)
winograd_fused(const float* __restrict__ x, const float* __restrict__ u, const float* __restrict__ bias,
               float* __restrict__ y, const Sizes s) {
  extern __shared__ __align__(16) float shared[];  // two slices of V, two of U; at the end M
  float* const shared_v = shared;
  float* const shared_u = shared + 2 * slice_v;

  const int tiles = s.n * s.tiles_h * s.tiles_w;
  const int output_blocks = (s.cog + block_outputs - 1) / block_outputs;
  const int o0 = blockIdx.x % output_blocks * block_outputs, group = blockIdx.x / output_blocks % s.groups;
  const int tile0 = blockIdx.x / output_blocks / s.groups * block_tiles;
  const int first_channel = group * s.cig, first_output = group * s.cog + o0;

  // The tile and the channel of a slice that this thread transforms: neighbours in the order of x's memory.
  const int my_tile = x_layout == NHWC ? threadIdx.x / block_channels : threadIdx.x % block_tiles;
  const int my_channel = x_layout == NHWC ? threadIdx.x % block_channels : threadIdx.x / block_tiles;
  const Tile tile = tile_at(tile0 + my_tile, s.n, s);
  const int h0 = tile.t * m_h - s.pad_top, w0 = tile.s * m_w - s.pad_left;
  unsigned inside = 0;  // bit e: element e of the tile lies in the image
#pragma unroll
  for (int e = 0; e < points; ++e) {
    const int h = h0 + e / n_w, w = w0 + e % n_w;
    if (tile0 + my_tile < tiles && h >= 0 && h < s.hi && w >= 0 && w < s.wi) inside |= 1u << e;
  }
  const float* corner = x + tile.n * static_cast<long long>(s.x_n) +
                        (first_channel + my_channel) * static_cast<long long>(s.x_c) +
                        h0 * static_cast<long long>(s.x_h) + w0 * static_cast<long long>(s.x_w);
  float d[points];
  const auto load_tile = [&](int c0) {
    const unsigned loaded = c0 + my_channel < s.cig ? inside : 0;
#pragma unroll
    for (int e = 0; e < points; ++e)
      d[e] = loaded >> e & 1 ? corner[e / n_w * static_cast<long long>(s.x_h) + e % n_w * static_cast<long long>(s.x_w)]
                             : 0.0f;
    corner += block_channels * static_cast<long long>(s.x_c);
  };
  const auto transform_tile = [&](float* slice) {
    float cells[points];
    sandwich<n_h, n_h, n_w, n_w>(bt_h, bt_h_over, bt_w, bt_w_over, d, cells);
#pragma unroll
    for (int point = 0; point < points; ++point)
      slice[(point * block_channels + my_channel) * block_tiles + place_of_tile(my_tile, my_channel)] = cells[point];
  };
  // Each of `passes` copies takes the same channel and outputs of other points.
  constexpr int width = vector_u ? 4 : 1, row = block_outputs / width, at_once = block_threads / row;
  constexpr int passes = slice_u / width / block_threads;
  static_assert(at_once % block_channels == 0 || block_channels % at_once == 0, "copies must divide a slice evenly");
  const int filter_row = threadIdx.x / row, filter_output = threadIdx.x % row * width;
  const float* filter = u + filter_row % block_channels * static_cast<long long>(s.co) + first_output + filter_output +
                        filter_row / block_channels * (static_cast<long long>(s.cig) * s.co);
  const auto start_filter = [&](float* slice, int c0) {
#pragma unroll
    for (int k = 0; k < passes; ++k) {
      const int point = k * at_once / block_channels, c = at_once < block_channels ? k * at_once % block_channels : 0;
      const int valid = c0 + filter_row % block_channels + c < s.cig ? s.cog - (o0 + filter_output) : 0;
      const float* const from = filter + (point * static_cast<long long>(s.cig) + c) * s.co;
      copy_async<width>(slice + k * block_threads * width + threadIdx.x * width, valid > 0 ? from : u, valid);
    }
    filter += block_channels * static_cast<long long>(s.co);
    close_batch();
  };

  start_filter(shared_u, 0);
  load_tile(0);
  transform_tile(shared_v);
  wait_for_batches<0>();
  __syncthreads();

  // 4 lanes along tiles and 8 along outputs, in an order in which halves of a warp share passes through shared memory.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_i = (lane >> 1 & 1) | (lane >> 2 & 2), lane_j = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4);
  float sums[2][8][8] = {};
  const int slices = (s.cig + block_channels - 1) / block_channels;
  for (int index = 0; index < slices; ++index) {
    const int now = index % 2, next = 1 - now;
    const bool more = index + 1 < slices;
    if (more) {
      start_filter(shared_u + next * slice_u, (index + 1) * block_channels);
      load_tile((index + 1) * block_channels);
    }
#pragma unroll 4  // more would spill
    for (int c = 0; c < block_channels; ++c)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = (2 * warp + half) * block_channels + c;
        float v[8], w[8];
#pragma unroll
        for (int block = 0; block < 2; ++block) {
          *reinterpret_cast<float4*>(v + 4 * block) = *reinterpret_cast<const float4*>(
              shared_v + now * slice_v + row * block_tiles + place_of_tile(block * 16 + lane_i * 4, c));
          *reinterpret_cast<float4*>(w + 4 * block) = *reinterpret_cast<const float4*>(
              shared_u + now * slice_u + row * block_outputs + block * 32 + lane_j * 4);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
          for (int j = 0; j < 8; ++j) sums[half][i][j] += v[i] * w[j];
      }
    if (more) {
      transform_tile(shared_v + next * slice_v);
      wait_for_batches<0>();
    }
    __syncthreads();
  }

  // M of a point lies as (output, tile), or as (tile, output) where channels are y's fastest axis.
  constexpr bool channels_fastest = y_layout == NHWC;
#pragma unroll
  for (int round = 0; round < block_outputs / round_outputs; ++round) {
    if (round > 0) __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const int t = i / 4 * 16 + lane_i * 4 + i % 4, o = lane_j * 4 + j;
          shared[(2 * warp + half) * slice_m + (channels_fastest ? t * pitch_m + o : o * pitch_m + t)] =
              sums[half][i][4 * round + j];
        }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32 * round_outputs / block_threads; ++k) {
      const int slow = (k * block_threads + threadIdx.x) / 32, fast = threadIdx.x % 32;
      const int t = channels_fastest ? slow : fast, o = o0 + round * round_outputs + (channels_fastest ? fast : slow);
      if (o >= s.cog || tile0 + t >= tiles) continue;
      float m[points], outputs[m_h * m_w];
#pragma unroll
      for (int point = 0; point < points; ++point) m[point] = shared[point * slice_m + slow * pitch_m + fast];
      sandwich<m_h, n_h, m_w, n_w>(at_h, at_h_over, at_w, at_w_over, m, outputs);
      const Tile at = tile_at(tile0 + t, s.n, s);
      const float first = has_bias ? bias[group * s.cog + o] : 0.0f;
      float* const image =
          y + at.n * static_cast<long long>(s.y_n) + (group * s.cog + o) * static_cast<long long>(s.y_c);
#pragma unroll
      for (int e = 0; e < m_h * m_w; ++e) {
        const int p = at.t * m_h + e / m_w, q = at.s * m_w + e % m_w;
        if (p < s.ho && q < s.wo)
          image[p * static_cast<long long>(s.y_h) + q * static_cast<long long>(s.y_w)] = outputs[e] + first;
      }
    }
  }
}

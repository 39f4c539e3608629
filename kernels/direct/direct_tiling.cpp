#include "kernels/direct/direct_tiling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "kernels/common/hopper.h"
#include "kernels/common/schedule.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kStagingBytes = 16 << 10, kBarrierBytes = 256;
constexpr std::int64_t kFewChannels = 16;      // below, all of them and all taps make one row of k
constexpr std::int64_t kMostElements = 65535;  // of a patch, by the kernel's table
constexpr int kMostFilterSlots = 6, kMostMmaSlots = 3;

}  // namespace

void DirectTiling::lay_out(const ConvProblem& p) {
  const ConvSpec& s = p.spec();
  patch_rows = (rows - 1) * (whole_windows ? s.stride_h : 1) + (whole_windows ? p.extent_h() - 1 : 0) + 1;
  patch_columns = (columns - 1) * s.stride_w + p.extent_w();
  const std::int64_t position_bytes = by_elements ? 2 * p.ci_per_group() : kRowBytes;
  patch_bytes = ceil_div(positions() * position_bytes, kTileAlignment) * kTileAlignment;
}

std::int64_t DirectTiling::steps(const ConvProblem& p) const {
  if (by_elements) return ceil_div(p.reduction(), 32) * 2;
  return p.taps() * ceil_div(p.ci_per_group(), 32) * 2;
}

std::int64_t DirectTiling::shared_bytes(const ConvProblem& p) const {
  const std::int64_t table = by_elements ? steps(p) * 32 : 0;
  if (by_mma)
    return std::max(patch_bytes + filter_slots * tile_n * (kRowBytes + 16) + table,
                    std::int64_t{kMmaPixels} * (tile_n + 8) * 4);
  return kTileAlignment + patch_slots * patch_bytes + filter_slots * tile_n * kRowBytes + kStagingBytes + table +
         kBarrierBytes;
}

std::int64_t DirectTiling::channel_tiles(const ConvProblem& p) const {
  return p.groups() * ceil_div(p.co_per_group(), tile_n);
}

std::int64_t DirectTiling::tiles(const ConvProblem& p) const {
  return channel_tiles(p) * ceil_div(p.n(), images) * ceil_div(p.ho(), rows) * ceil_div(p.wo(), columns);
}

bool DirectTiling::within_box(const ConvProblem& p) const {
  return images <= kMostBox && patch_columns <= kMostBox &&
         (patch_rows - 1) * (whole_windows ? 1 : p.spec().stride_h) + 1 <= kMostBox;
}

// Tiles are dealt out in rounds. A product of 64 pixels takes tile_n/2 cycles, and reads its filter and its pixels from
// shared memory at 128 bytes a cycle; single elements come 32 a cycle, at best. Meanwhile the next patch and filters
// come from the L2 cache.
double DirectTiling::cost(const ConvProblem& p, double conflicts) const {
  constexpr double kBegin = 800, kLatency = 900, kInFlight = 24, kSlotsALoad = 12, kExposed = 0.3, kNotHidden = 0.2;
  const double multiplied = tile_n / 2.0, read = tile_n / 4.0 + (by_elements ? 40 : 16) * conflicts;
  const double product = std::max(multiplied, read) + kExposed * std::min(multiplied, read);
  const double products = 2.0 * m_tiles * static_cast<double>(steps(p)) * product;
  const auto channels = static_cast<double>(ceil_div(p.ci_per_group(), kRowElements));
  const double patches = by_elements ? 1 : channels * static_cast<double>(whole_windows ? 1 : p.hf());

  const std::int64_t run = patch_columns * p.ci_per_group(), lines = images * patch_rows;
  const auto copied = static_cast<double>(by_elements ? lines * (ceil_div(run * 2, 32) + 1) * 32 : patch_bytes);
  const double filter = static_cast<double>(steps(p)) * tile_n * 32;
  double fetching = (patches * copied + filter) / kBytesACycle;
  if (!by_tma) {  // in rounds of as many loads as a warp has in flight
    const int warps = fetching_threads() / 32 - 1;
    const double loads = static_cast<double>(by_elements ? lines * ceil_div(run, 32) : positions() / 4) / warps;
    fetching = std::max(fetching, patches * (std::ceil(loads / kInFlight) * kLatency + loads * kSlotsALoad));
  }
  const double both =
      patch_slots == 1 ? products + fetching : std::max(products, fetching) + kNotHidden * std::min(products, fetching);
  const double stored = 2.0 * static_cast<double>(pixels()) * tile_n / kStoredBytesACycle;
  return static_cast<double>(ceil_div(tiles(p), kHopperMultiprocessors)) * (both + stored + kBegin);
}

double DirectTiling::conflicts(const ConvProblem& p) const {
  double sum = 0;
  std::int64_t groups = 0;
  for (std::int64_t first = 0; first + 8 <= pixels(); first += 8, ++groups) {
    std::array<std::set<std::int64_t>, 32> words;
    for (std::int64_t index = first; index < first + 8; ++index) {
      const std::int64_t row = index / columns % rows * (whole_windows ? p.spec().stride_h : 1);
      const std::int64_t position =
          (index / columns / rows * patch_rows + row) * patch_columns + index % columns * p.spec().stride_w;
      for (std::int64_t lane = 0; lane < 4; ++lane) {
        const std::int64_t word = by_elements ? position * p.ci_per_group() / 2 + lane : position * 4 + lane;
        words.at(static_cast<std::size_t>(word % 32)).insert(word);
      }
    }
    sum += static_cast<double>(std::ranges::max_element(words, {}, &std::set<std::int64_t>::size)->size());
  }
  return groups == 0 ? 1 : sum / static_cast<double>(groups);
}

Box DirectTiling::box(const ConvProblem& p, std::int64_t tile) const {
  const TileIndex at = tile_of_block(tile, static_cast<int>(channel_tiles(p)), false);
  const std::int64_t of_group = ceil_div(p.co_per_group(), tile_n), within = at.column % of_group * tile_n;
  const std::int64_t across = ceil_div(p.wo(), columns), down = ceil_div(p.ho(), rows);
  const std::int64_t q = at.row % across * columns, top = at.row / across % down * rows,
                     n = at.row / across / down * images;
  return {{n, at.column / of_group * p.co_per_group() + within, top, q},
          {std::min(images, p.n() - n), std::min<std::int64_t>(tile_n, p.co_per_group() - within),
           std::min(rows, p.ho() - top), std::min(columns, p.wo() - q), 1, 1}};
}

std::string why_no_patches_by_tma(const Request& request) {
  const ConvProblem& p = request.problem;
  if (request.layouts.x != Layout::NHWC)
    return "layout of x: " + std::string(name(request.layouts.x)) + ", must be NHWC for TMA";
  if (p.ci() % 8 != 0) return "ci: " + std::to_string(p.ci()) + ", must be a multiple of 8 for TMA";
  if (p.ci_per_group() < kFewChannels)
    return "ci/groups: " + std::to_string(p.ci_per_group()) + ", must be ≥ " + std::to_string(kFewChannels) +
           " for TMA";
  if (p.groups() > 1 && p.ci_per_group() % 32 != 0)
    return "ci/groups: " + std::to_string(p.ci_per_group()) + ", must be a multiple of 32 for TMA";
  if (p.spec().stride_h > 8) return "stride_h: " + std::to_string(p.spec().stride_h) + ", must be ≤ 8 for TMA";
  return "";
}

namespace {

// Output channels of a tile that registers allow: all, or a part with few idle ones.
std::vector<int> channel_counts(const ConvProblem& p, int m_tiles, bool by_mma) {
  if (by_mma) return {p.co_per_group() > 64 ? 128 : 64};
  const std::int64_t most = m_tiles == 2 ? 96 : 256, all = ceil_div(p.co_per_group(), 16) * 16;
  std::vector<int> counts;
  for (const std::int64_t count : {all, std::int64_t{64}, std::int64_t{96}, std::int64_t{128}, std::int64_t{192}})
    if (count <= most && count <= all) counts.push_back(static_cast<int>(count));
  if (counts.empty()) counts.push_back(64);
  return counts;
}

// Of all tiles that the options allow and that fit, what costs least.
std::optional<DirectTiling> choose_tiling(const Request& request, bool by_tma) {
  const ConvProblem& p = request.problem;
  const OptionSet& options = request.options;
  const bool by_elements = p.ci_per_group() < kFewChannels, by_mma = options.is("instructions", "mma");
  const std::int64_t most_bytes = by_mma ? kLeastSharedBytes : kHopperSharedBytes;
  std::optional<DirectTiling> best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](DirectTiling tiling) {
    tiling.by_mma = by_mma;
    tiling.lay_out(p);
    if (by_elements && tiling.positions() * p.ci_per_group() > kMostElements) return;
    if (by_tma && !tiling.within_box(p)) return;
    for (const int patch_slots : {1, 2}) {
      if (by_mma && patch_slots > 1) continue;
      if (!by_mma && !options.is("patch_slots", "auto") && options["patch_slots"] != std::to_string(patch_slots))
        continue;
      tiling.patch_slots = patch_slots;
      const bool free = options.is("filter_slots", "auto");
      tiling.filter_slots = free ? (by_mma ? kMostMmaSlots : kMostFilterSlots) : std::stoi(options["filter_slots"]);
      while (free && tiling.filter_slots > 2 && tiling.shared_bytes(p) > most_bytes) --tiling.filter_slots;
      if (tiling.shared_bytes(p) > most_bytes) continue;
      if (best && tiling.cost(p, 1) >= least) continue;
      if (const double needed = tiling.cost(p, tiling.conflicts(p)); !best || needed < least)
        least = needed, best = tiling;
    }
  };
  for (const int m_tiles : {1, 2}) {
    if (by_mma && m_tiles > 1) continue;
    if (!by_mma && !options.is("tile_pixels", "auto") && options["tile_pixels"] != std::to_string(128 * m_tiles))
      continue;
    for (const bool whole : {true, false}) {
      if (by_elements && !whole) continue;  // all taps are one row of k
      if (!options.is("windows", "auto") && !by_elements && options.is("windows", "whole") != whole) continue;
      for (const int tile_n : channel_counts(p, m_tiles, by_mma))
        for (std::int64_t columns = 1; columns <= std::min<std::int64_t>(p.wo(), 128 * m_tiles); ++columns)
          for (std::int64_t rows = 1; rows <= std::min<std::int64_t>(p.ho(), 128 * m_tiles / columns); ++rows) {
            const std::int64_t most = std::clamp<std::int64_t>(p.n(), 1, 128 * m_tiles / columns / rows);
            for (const std::int64_t images : {std::int64_t{1}, most})
              consider({by_tma, by_elements, whole, tile_n, m_tiles, images, rows, columns});
          }
    }
  }
  return best;
}

}  // namespace

std::optional<DirectTiling> choose_direct_tiling(const Request& request) {
  std::optional<DirectTiling> best;
  if (request.options.is("instructions", "mma")) return choose_tiling(request, false);
  if (!request.options.is("fetch", "threads") && why_no_patches_by_tma(request).empty())
    best = choose_tiling(request, true);
  return best || request.options.is("fetch", "tma") ? best : choose_tiling(request, false);
}

}  // namespace convlens::gpu

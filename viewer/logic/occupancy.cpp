#include "viewer/logic/occupancy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/architecture.h"

namespace convlens::viewer {

namespace {

struct Multiprocessor {
  const char* architecture;
  std::int64_t warps, blocks;
};
constexpr std::array kMultiprocessors{
    Multiprocessor{"sm_80", 64, 32}, Multiprocessor{"sm_86", 48, 16},  Multiprocessor{"sm_89", 48, 24},
    Multiprocessor{"sm_90", 64, 32}, Multiprocessor{"sm_100", 64, 32}, Multiprocessor{"sm_120", 48, 24},
};
constexpr std::int64_t kWarp = 32, kRegisters = 65536, kRegisterUnit = 256, kQuarters = 4;
constexpr std::int64_t kSharedUnit = 128, kSystemShared = 1024;

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<Occupancy> occupancy(const std::string& architecture, std::int64_t threads, std::int64_t registers,
                                   std::int64_t shared_bytes) {
  const std::string plain = architecture.substr(0, architecture.find_last_not_of("af") + 1);
  const auto* sm = std::ranges::find(kMultiprocessors, plain, &Multiprocessor::architecture);
  if (sm == kMultiprocessors.end() || threads < 1) return std::nullopt;
  const std::int64_t warps = round_up(threads, kWarp) / kWarp;
  const std::int64_t of_warp = std::max(kRegisterUnit, round_up(registers * kWarp, kRegisterUnit));
  const std::int64_t of_block = round_up(shared_bytes + kSystemShared, kSharedUnit);
  const std::array<std::pair<std::int64_t, const char*>, 4> limits{
      {{sm->warps / warps, "threads"},
       {kQuarters * (kRegisters / kQuarters / of_warp) / warps, "registers"},
       {(*gpu::most_shared_bytes(plain) + kSystemShared) / of_block, "shared memory"},
       {sm->blocks, "blocks of an SM"}}};
  const auto least = std::ranges::min(limits, {}, &std::pair<std::int64_t, const char*>::first);
  return Occupancy{least.first, least.first * warps, sm->warps, least.second};
}

}  // namespace convlens::viewer

// What the command line of `convlens view` says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace convlens::cli {

struct ViewArguments {
  LayerArguments layers;
  RowArguments rows;
  std::string panel, arrangement, order, tensor, at, size, state, image, theme;
  std::string screenshot, export_data, save;  // without any of these a window opens
  std::vector<std::string> live, fields;
  std::optional<std::int64_t> memory_limit;
  std::string chart, timed, swept, worker;
  std::optional<std::int64_t> step, block, tour;
  double scale = 0, measure_seconds = 0;

  bool draws() const { return !screenshot.empty() || !export_data.empty(); }
  bool window() const { return !draws() && save.empty(); }

  // Whether anything of what is shown is said, be it as the first state has it.
  bool says_state() const {
    const auto given = [](const auto&... texts) { return (!texts.empty() || ...); };
    return layers.given() || layers.batch_given() || layers.parts_given() || rows.algorithm_given() ||
           rows.dtype_given() || rows.layout_given() || memory_limit || step || block || tour || scale > 0 ||
           given(panel, arrangement, order, tensor, at, state, image, theme, live, fields, chart, timed, swept);
  }
  bool restores() const { return window() && !says_state(); }  // what the last window showed
};

}  // namespace convlens::cli

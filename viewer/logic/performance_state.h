// What the Performance panel shows; a part of the state (state.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace convlens::viewer {

// The run that is measured first: the fast CPU row of im2win, which runs everywhere.
std::string usual_run();

struct PerformanceState {
  std::string chart = "live";     // one of chart_names()
  std::string run = usual_run();  // the live run, by its name, options included
  std::string timed = "call";     // one of time_names(): the honest-time switch
  std::string swept = "c_i";      // one of swept_names(): what the sweep varies

  bool operator==(const PerformanceState&) const = default;
};

const std::vector<std::string>& chart_names();  // live, roofline, sweep
const std::vector<std::string>& time_names();   // call, kernel, cold
const std::vector<std::string>& swept_names();  // n, c_i, c_o, size, filter, stride

nlohmann::ordered_json to_json(const PerformanceState& state);

// Throws BadInput with one line that names the field, its value and the rule.
PerformanceState performance_from_json(const nlohmann::ordered_json& json);

}  // namespace convlens::viewer

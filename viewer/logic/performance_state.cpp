#include "viewer/logic/performance_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"
#include "algorithms/suggest.h"

namespace convlens::viewer {

namespace {

std::string one_of(const std::string& field, const nlohmann::ordered_json& json,
                   const std::vector<std::string>& names) {
  const auto value = json.get<std::string>();
  if (std::ranges::find(names, value) == names.end())
    throw BadInput("state: performance." + field + ": " + json.dump() + suggestion(value, names));
  return value;
}

}  // namespace

std::string usual_run() {
  for (const Algorithm* row : algorithms())
    if (row->family == "im2win" && row->id.ends_with(".cpu")) return row->id;
  return algorithms().front()->id;
}

const std::vector<std::string>& chart_names() {
  static const std::vector<std::string> names{"live", "roofline", "sweep"};
  return names;
}
const std::vector<std::string>& time_names() {
  static const std::vector<std::string> names{"call", "kernel", "cold"};
  return names;
}
const std::vector<std::string>& swept_names() {
  static const std::vector<std::string> names{"n", "c_i", "c_o", "size", "filter", "stride"};
  return names;
}

nlohmann::ordered_json to_json(const PerformanceState& state) {
  return {{"chart", state.chart}, {"run", state.run}, {"timed", state.timed}, {"swept", state.swept}};
}

PerformanceState performance_from_json(const nlohmann::ordered_json& json) {
  PerformanceState state;
  for (const auto& [field, value] : json.items()) {
    if (field == "chart")
      state.chart = one_of(field, value, chart_names());
    else if (field == "timed")
      state.timed = one_of(field, value, time_names());
    else if (field == "swept")
      state.swept = one_of(field, value, swept_names());
    else if (field == "run")
      state.run = value.get<std::string>();
    else
      throw BadInput("state: performance." + field + ": " + value.dump() + ", must be left out: it is no field of it");
  }
  return state;
}

}  // namespace convlens::viewer

#include "viewer/logic/performance_state.h"

#include "algorithms/interface/registry.h"
#include "viewer/logic/state_field.h"

namespace convlens::viewer {

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
  require_object("performance", json);
  PerformanceState state;
  for (const auto& [key, value] : json.items()) {
    const std::string field = "performance." + key;
    if (key == "chart")
      state.chart = read_one_of(field, value, chart_names());
    else if (key == "timed")
      state.timed = read_one_of(field, value, time_names());
    else if (key == "swept")
      state.swept = read_one_of(field, value, swept_names());
    else if (key == "run")
      state.run = read_text(field, value);
    else
      refuse_field(field, value, "left out: it is no field of this panel");
  }
  return state;
}

}  // namespace convlens::viewer

#include "viewer/logic/numerics_state.h"

#include "viewer/logic/state_field.h"

namespace convlens::viewer {

const std::vector<std::string>& injection_names() {
  static const std::vector<std::string> names{"none", "nan", "inf", "outlier"};
  return names;
}

nlohmann::ordered_json to_json(const NumericsState& s) {
  return {{"run", s.run},
          {"dtype", s.dtype ? name(*s.dtype) : ""},
          {"channel", s.channel},
          {"exponent", s.exponent},
          {"injection", s.injection},
          {"down", s.down},
          {"across", s.across},
          {"element", s.element}};
}

NumericsState numerics_from_json(const nlohmann::ordered_json& json) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  require_object("numerics", json);
  NumericsState s;
  for (const auto& [key, value] : json.items()) {
    const std::string field = "numerics." + key;
    if (key == "run")
      s.run = read_text(field, value);
    else if (key == "dtype" && value == "")
      s.dtype.reset();
    else if (key == "dtype")
      s.dtype = read_dtype(field, value);
    else if (key == "channel")
      s.channel = read_whole(field, value, 0, kAny);
    else if (key == "exponent")
      s.exponent = read_whole(field, value, -kLargestExponent, kLargestExponent);
    else if (key == "injection")
      s.injection = read_one_of(field, value, injection_names());
    else if (key == "down")
      s.down = read_whole(field, value, 0, 100);
    else if (key == "across")
      s.across = read_whole(field, value, 0, 100);
    else if (key == "element" && value.is_array() && (value.empty() || value.size() == 4)) {
      s.element.clear();
      for (const auto& index : value) s.element.push_back(read_whole(field, index, 0, kAny));
    } else
      refuse_field(field, value, key == "element" ? "empty, or n, o, p, q" : "left out: it is no field of this panel");
  }
  return s;
}

}  // namespace convlens::viewer

#include "viewer/logic/kernel_state.h"

#include "viewer/logic/state_field.h"

namespace convlens::viewer {

namespace {

std::map<std::string, std::string> read_texts(const std::string& field, const nlohmann::ordered_json& json) {
  require_object(field, json);
  std::map<std::string, std::string> texts;
  for (const auto& [file, text] : json.items()) texts[file] = read_text(field + "." + file, text);
  return texts;
}

}  // namespace

nlohmann::ordered_json to_json(const KernelState& s) {
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  for (const auto& [file, text] : s.texts) texts[file] = text;
  return {{"run", s.run}, {"step", s.step}, {"file", s.file}, {"architecture", s.architecture}, {"texts", texts}};
}

KernelState kernel_from_json(const nlohmann::ordered_json& json) {
  constexpr std::int64_t kMostSteps = 1000;
  require_object("kernel", json);
  KernelState s;
  for (const auto& [key, value] : json.items()) {
    const std::string field = "kernel." + key;
    if (key == "run")
      s.run = read_text(field, value);
    else if (key == "step")
      s.step = read_whole(field, value, 0, kMostSteps);
    else if (key == "file")
      s.file = read_text(field, value);
    else if (key == "architecture")
      s.architecture = read_text(field, value);
    else if (key == "texts")
      s.texts = read_texts(field, value);
    else
      refuse_field(field, value, "left out: it is no field of this panel");
  }
  return s;
}

}  // namespace convlens::viewer

#include "viewer/logic/kernel_state.h"

#include "algorithms/error.h"
#include "kernels/text.h"
#include "viewer/logic/state_field.h"

namespace convlens::viewer {

namespace {

// What the compiler, and this program, can do something with (kernels/text.h).
std::map<std::string, std::string> read_texts(const std::string& field, const nlohmann::ordered_json& json) {
  require_object(field, json);
  std::map<std::string, std::string> texts;
  std::size_t bytes = 0;
  for (const auto& [file, value] : json.items()) {
    const std::string& text = texts[file] = read_text(field + "." + file, value);
    bytes += text.size();
    if (text.find('\0') != std::string::npos) throw BadInput(field + "." + file + ": has a byte 0, must be text");
  }
  if (texts.size() > gpu::kMostFiles)
    throw BadInput(field + ": " + std::to_string(texts.size()) + " files, must be ≤ " +
                   std::to_string(gpu::kMostFiles));
  if (bytes > gpu::kMostText)
    throw BadInput(field + ": " + std::to_string(bytes) + " bytes, must be ≤ " + std::to_string(gpu::kMostText));
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

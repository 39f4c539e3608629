#include "viewer/logic/kernel_state.h"

#include "algorithms/error.h"
#include "kernels/text.h"
#include "viewer/logic/state_field.h"

namespace convlens::viewer {

nlohmann::ordered_json to_json(const KernelState& s) {
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  for (const auto& [file, text] : s.texts) texts[file] = text;
  return {{"run", s.run}, {"step", s.step}, {"file", s.file}, {"architecture", s.architecture}, {"texts", texts}};
}

namespace {

// What the compiler, and this program, can do something with (kernels/text.h).
std::map<std::string, std::string> read_texts(const nlohmann::ordered_json& json) {
  auto texts = json.get<std::map<std::string, std::string>>();
  std::size_t bytes = 0;
  for (const auto& [file, text] : texts) {
    bytes += text.size();
    if (text.find('\0') != std::string::npos) throw BadInput("kernel.texts: " + file + ", has a byte 0, must be text");
  }
  if (texts.size() > gpu::kMostFiles)
    throw BadInput("kernel.texts: " + std::to_string(texts.size()) + " files, must be ≤ " +
                   std::to_string(gpu::kMostFiles));
  if (bytes > gpu::kMostText)
    throw BadInput("kernel.texts: " + std::to_string(bytes) + " bytes, must be ≤ " + std::to_string(gpu::kMostText));
  return texts;
}

}  // namespace

KernelState kernel_from_json(const nlohmann::ordered_json& json) {
  constexpr std::int64_t kMostSteps = 1000;
  KernelState s;
  for (const auto& [key, value] : json.items()) {
    const std::string field = "kernel." + key;
    if (key == "run")
      s.run = value.get<std::string>();
    else if (key == "step")
      s.step = read_whole(field, value, 0, kMostSteps);
    else if (key == "file")
      s.file = value.get<std::string>();
    else if (key == "architecture")
      s.architecture = value.get<std::string>();
    else if (key == "texts")
      s.texts = read_texts(value);
    else
      refuse_field(field, value, "left out: it is no field of this panel");
  }
  return s;
}

}  // namespace convlens::viewer

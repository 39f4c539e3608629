#include "viewer/panels/kernel/kernel.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "viewer/panels/panels.h"

namespace convlens::viewer {

namespace {

KernelFrame frame_of(Scene& scene) {
  KernelFrame frame;
  const std::string key = kernel_key(scene);
  frame.sheet = scene.kept.get<Later<KernelSheet>>("kernel sheet")
                    .get(key, scene.painter, [state = scene.state, problem = *scene.model().problem()] {
                      return kernel_sheet(state, problem);
                    });
  if (frame.sheet == nullptr || !frame.sheet->refused.empty()) return frame;
  frame.build = scene.kept.get<Later<Build>>("kernel build")
                    .get(key, scene.painter,
                         [state = scene.state, problem = *scene.model().problem()](const std::function<bool()>& stop) {
                           return build_of(kernel_sheet(state, problem), state.layer, stop);
                         });
  return frame;
}

// The rows that have a kernel where the chosen ones have none, as buttons, as many on a line as fit.
void offer_rows(Scene& scene, const KernelSheet& sheet) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  for (const std::string& run : sheet.instead) {
    const float width = ImGui::CalcTextSize(run.c_str()).x + 2 * style.FramePadding.x;
    if (&run != &sheet.instead.front() && ImGui::GetItemRectMax().x + style.ItemSpacing.x + width < right)
      ImGui::SameLine();
    if (!ImGui::Button(run.c_str())) continue;
    State next = scene.state;
    next.kernel.run = run;
    scene.change(std::move(next), "");
  }
}

void draw(Scene& scene) {
  ImGui::BeginChild("kernel");
  const KernelFrame frame = frame_of(scene);
  if (frame.sheet == nullptr) {
    ImGui::TextDisabled("reading ...");
  } else {
    draw_kernel_choices(scene, *frame.sheet);
    if (!frame.sheet->note.empty()) faint_text(frame.sheet->note);
    if (!frame.sheet->refused.empty()) {
      wrapped_text(frame.sheet->refused);
      offer_rows(scene, *frame.sheet);
    } else {
      draw_build(scene, frame);
      draw_source(scene, frame, 12 * ImGui::GetTextLineHeight());
    }
  }
  ImGui::EndChild();
}

const char* name_of(const Line& line) {
  if (line.empty()) return "";
  const bool one_kind = std::ranges::all_of(line, [&](const Piece& piece) { return piece.code == line.front().code; });
  if (!one_kind) return "mixed";
  switch (line.front().code) {
    case Code::plain:
      return "plain";
    case Code::chosen:
      return "chosen";
    case Code::undecided:
      return "undecided";
    case Code::left_out:
      return "left out";
  }
  return "";
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const KernelSheet sheet = kernel_sheet(scene.state, *scene.model().problem());
  if (!sheet.refused.empty()) return rows.push_back({{"run", sheet.run}, {"refused", sheet.refused}}), rows;
  const Build build = build_of(sheet, scene.state.layer, scene.interrupted);
  const bool known = build.recorded || (build.why_not.empty() && !build.failed);
  const auto number = [&](std::int64_t value) {
    return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  std::size_t begin = 0;
  for (std::size_t k = 0; k < sheet.lines.size(); ++k) {
    const std::size_t end = std::min(sheet.text.find('\n', begin), sheet.text.size());
    rows.push_back({{"run", sheet.run},
                    {"step", sheet.step},
                    {"kernel", sheet.launch.kernel.entry},
                    {"architecture", sheet.architecture},
                    {"registers", number(build.registers)},
                    {"shared_bytes", number(build.shared_bytes)},
                    {"spill_bytes", number(build.spill_bytes)},
                    {"file", sheet.file},
                    {"line", k + 1},
                    {"code", name_of(sheet.lines[k])},
                    {"text", sheet.text.substr(begin, end - begin)}});
    begin = std::min(end + 1, sheet.text.size());
  }
  return rows;
}

}  // namespace

std::string kernel_key(const Scene& scene) {
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return std::to_string(scene.version) + to_json(scene.state.kernel).dump(-1, ' ', false, kReplace);
}

Panel kernel_panel() {
  return {"kernel", "Kernel", "The CUDA code that the present options compile, to read and to change", draw, data};
}

}  // namespace convlens::viewer

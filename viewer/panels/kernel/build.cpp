// What the compiler makes of the kernel, and what a GPU does.
#include <algorithm>

#include "algorithms/measure/device.h"
#include "viewer/panels/kernel/kernel.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// "128 registers a thread, 43.1 KiB shared memory a block, no spills; …".
std::string resources(const KernelSheet& sheet, const Build& build) {
  std::string text = counted(build.registers, "register") + " a thread, " + bytes_text(build.shared_bytes) +
                     " of shared memory a block, " +
                     (build.spill_bytes == 0 ? "no spills" : bytes_text(build.spill_bytes) + " of spills a thread");
  if (const auto& o = build.occupancy)
    text += "; " + counted(o->blocks, "block") + " of " + counted(sheet.launch.block.count(), "thread") +
            " on an SM, " + std::to_string(o->warps) + " of " + counted(o->most_warps, "warp") + ": " + o->limit +
            (o->limit == "registers" || o->limit == "threads" || o->limit == "blocks of an SM" ? " allow" : " allows") +
            " no more";
  return text;
}

void draw_messages(Scene& scene, const KernelSheet& sheet, const Build& build) {
  constexpr std::size_t kMost = 4;
  std::size_t shown = 0;
  for (const CompilerMessage& message : build.messages) {
    if (++shown > kMost) break;
    ImGui::PushID(static_cast<int>(shown));
    ImGui::PushStyleColor(ImGuiCol_Text, message.error ? palette().wrong : palette().faint);
    const std::string where = message.file + ", line " + std::to_string(message.line) + ": ";
    wrapped_text((message.line > 0 ? where : "") + message.text);
    ImGui::PopStyleColor();
    if (message.line == 0) {
      ImGui::PopID();
      continue;
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("click: to that line");
    if (ImGui::IsItemClicked()) {
      scene.kept.get<SourceView>("source").wanted_line = message.line;
      if (message.file != sheet.file && std::ranges::find(sheet.files, message.file) != sheet.files.end()) {
        State next = scene.state;
        next.kernel.file = message.file;
        scene.change(std::move(next), "");
      }
    }
    ImGui::PopID();
  }
  if (build.messages.size() > kMost) faint_text("and " + std::to_string(build.messages.size() - kMost) + " more");
}

// The row with these texts, on the GPU; nothing until somebody asks.
struct Trials {
  std::string asked;  // which sheet
  Later<std::vector<TrialLine>> lines;
};

void draw_trial(Scene& scene, const KernelSheet& sheet) {
  if (const std::string why = why_not_here(sheet.plan->algorithm()); !why.empty())
    return faint_text("Cannot be checked and timed here: " + why);
  auto& trials = scene.kept.get<Trials>("kernel trials");
  const std::string now = kernel_key(scene);
  if (ImGui::Button("check and time")) trials.asked = now;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("On this machine's GPU: against the oracle on a piece of the layer, then the layer's time");
  if (trials.asked != now) return;
  const auto* lines = trials.lines.get(
      now, scene.painter, [sheet, texts = scene.state.kernel.texts] { return try_on_device(sheet, texts); });
  if (lines == nullptr) return ImGui::TextDisabled("checking and timing ...");
  for (const TrialLine& line : *lines) {
    ImGui::PushStyleColor(ImGuiCol_Text, line.wrong ? palette().wrong : ImGui::GetColorU32(ImGuiCol_Text));
    wrapped_text(line.text);
    ImGui::PopStyleColor();
  }
}

void draw_edit_controls(Scene& scene, const KernelSheet& sheet) {
  auto& view = scene.kept.get<SourceView>("source");
  ImGui::Checkbox("edit", &view.editing);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "What is changed is compiled as it is typed. File, Save kernel writes it into a file of one's own,\n"
        "Load kernel takes one from there; in a folder named by CONVLENS_KERNELS all commands use it.");
  if (!sheet.edited) return;
  ImGui::SameLine();
  if (ImGui::Button("back to the text that ships")) {
    State next = scene.state;
    next.kernel.texts.erase(sheet.file);
    scene.change(std::move(next), "");
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("edited");
}

}  // namespace

void ask_kernel_trial(Scene& scene) { scene.kept.get<Trials>("kernel trials").asked = kernel_key(scene); }

void draw_build(Scene& scene, const KernelFrame& frame) {
  const KernelSheet& sheet = *frame.sheet;
  if (frame.build == nullptr) {
    ImGui::TextDisabled("compiling ...");
  } else {
    const Build& build = *frame.build;
    if (!build.why_not.empty()) faint_text("Not compiled: " + build.why_not);
    if (build.recorded)
      wrapped_text("Recorded on " + build.recorded_on + ": " + resources(sheet, build));
    else if (build.why_not.empty() && !build.failed)
      wrapped_text(resources(sheet, build));
    if (build.failed) draw_messages(scene, sheet, build);
  }
  draw_edit_controls(scene, sheet);
  draw_trial(scene, sheet);
}

}  // namespace convlens::viewer

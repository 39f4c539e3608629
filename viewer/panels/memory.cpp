// The Memory panel: what each chosen algorithm needs, buffer by buffer, and how many images fit.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "kernels/vendor/cudnn.h"
#include "viewer/logic/memory.h"
#include "viewer/panels/panels.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// What every algorithm needs is grey; what each adds has colours, im2col's and im2win's those of the law above. A
// second round through them is fainter.
ImU32 colour_of_part(const MemoryBar& bar, std::size_t number) {
  static_assert(kPartColours == std::extent_v<decltype(Palette::series)>);
  const std::string& name = bar.parts[number].name;
  constexpr std::array<std::pair<const char*, float>, 4> kTensors{
      {{"x", 0.75f}, {"w", 0.6f}, {"y", 0.45f}, {"bias", 0.3f}}};
  for (const auto& [tensor, strength] : kTensors)
    if (name == tensor) return ImGui::GetColorU32(ImGuiCol_TextDisabled, strength);
  const std::size_t colour = part_colours(bar)[number];
  const ImU32 full = palette().series[colour % kPartColours];
  return colour < kPartColours ? full : (full & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 128);
}

void draw_bar(const MemoryBar& bar, std::int64_t most, float width, float height) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 first = ImGui::GetCursorScreenPos();
  float x = first.x;
  for (std::size_t k = 0; k < bar.parts.size(); ++k) {
    const MemoryPart& part = bar.parts[k];
    const float w = width * static_cast<float>(static_cast<double>(part.bytes) / static_cast<double>(most));
    const ImVec2 a{x, first.y}, b{x + std::max(w, 1.0f), first.y + height};
    list.AddRectFilled(a, b, colour_of_part(bar, k));
    if (ImGui::IsMouseHoveringRect(a, b))
      ImGui::SetTooltip("%s\n%s\n%s bytes", part.name.c_str(), part.formula.c_str(), grouped(part.bytes).c_str());
    x += w;
  }
  // Where the formulas alone would end; no farther down than the words below begin.
  const float beyond = std::min(height * 0.15f, ImGui::GetStyle().ItemSpacing.y / 2);
  const float formula =
      first.x + width * static_cast<float>(static_cast<double>(bar.by_formula()) / static_cast<double>(most));
  list.AddLine({formula, first.y - beyond}, {formula, first.y + height + beyond}, ImGui::GetColorU32(ImGuiCol_Text), 2);
  ImGui::Dummy({width, height});
}

// "■ im2win  N·C_i·H_o·W̃·H_f × 4 B = 2.21 MiB", one after the other, as many a line as fit.
void draw_parts(const MemoryBar& bar) {
  const float side = ImGui::GetTextLineHeight() * 0.7f, gap = ImGui::GetStyle().ItemSpacing.x;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t k = 0; k < bar.parts.size(); ++k) {
    const MemoryPart& part = bar.parts[k];
    const bool known = bar.known || k < bar.tensor_parts;
    const std::string formula = known && !part.formula.empty() ? part.formula + " = " : "";
    const std::string text = part.name + "  " + formula + (known ? bytes_text(part.bytes) : gpu::kUnknownWorkspace);
    const float width = side + 3 * gap + ImGui::CalcTextSize(text.c_str()).x;
    if (k > 0 && ImGui::GetItemRectMax().x + width < right) ImGui::SameLine(0, 2 * gap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + side * 0.2f}, {at.x + side, at.y + side * 1.2f},
                                              colour_of_part(bar, k));
    ImGui::Dummy({side, side});
    ImGui::SameLine();
    ImGui::TextDisabled("%s", text.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s bytes", grouped(part.bytes).c_str());
  }
}

// Found by planning again and again, which takes longer than a frame may.
using LargestBatches = std::map<std::string, std::int64_t>;  // by run
LargestBatches largest_batches(const Model& model, std::int64_t limit, const std::function<bool()>& stop) {
  LargestBatches all;
  for (const ChosenRow& row : model.rows()) all[row.run] = largest_batch(row, limit, stop);
  return all;
}

// "formula 1.2 MiB,  allocated 1.3 MiB,  peak 1.3 MiB;  workspace 0.4 MiB;  at most N = 7 in 8 GiB".
std::string bar_text(const MemoryBar& bar, const LargestBatches* batches, std::int64_t limit) {
  const auto found = batches == nullptr ? LargestBatches::const_iterator() : batches->find(bar.run);
  const std::string batch =
      "at most N = " + (batches == nullptr || found == batches->end() ? "..." : grouped(found->second));
  const std::string at_least = bar.known ? "" : "at least ";
  return "formula " + bytes_text(bar.by_formula()) + ",  allocated " + at_least + bytes_text(bar.allocated()) +
         ",  peak " + at_least + bytes_text(bar.peak()) + (bar.over.empty() ? "" : " without a limit") +
         ";  workspace " + (bar.known ? bytes_text(bar.workspace) : gpu::kUnknownWorkspace) + ";  " + batch +
         (bar.known ? "" : " without it") + " in " + bytes_text(limit);
}

struct Bars {
  std::string key;  // what they are of
  std::vector<MemoryBar> bars;
};
struct KeyedBatches {
  std::string key;
  LargestBatches batches;
};

void draw_bars(Scene& scene) {
  const std::int64_t limit = scene.state.memory_limit;
  const std::string key = std::to_string(scene.version) + "," + std::to_string(limit);
  const Bars* found =
      scene.kept.get<Later<Bars>>("memory bars").get(key, scene.painter, [key, model = scene.shared_model, limit] {
        return Bars{key, memory_bars(*model, limit)};
      });
  if (found == nullptr) return faint_text("...");
  const std::vector<MemoryBar>& bars = found->bars;
  // Only then what takes longer: what is asked for last is done first.
  auto& search = scene.kept.get<Later<KeyedBatches>>("largest batches");
  const KeyedBatches* searched = nullptr;
  if (found->key == key)
    searched =
        search.get(key, scene.painter, [key, model = scene.shared_model, limit](const std::function<bool()>& stop) {
          return KeyedBatches{key, largest_batches(*model, limit, stop)};
        });
  else
    search.leave();
  const LargestBatches* batches = searched != nullptr && searched->key == key ? &searched->batches : nullptr;
  std::int64_t most = 1;
  for (const MemoryBar& bar : bars) most = std::max(most, bar.allocated());
  const ImVec2 space = ImGui::GetContentRegionAvail();
  // As high as lets all of them, with three lines of text each, be seen.
  const float line = ImGui::GetTextLineHeightWithSpacing(),
              share = space.y / static_cast<float>(std::max<std::size_t>(1, bars.size()));
  const float height = std::clamp(share - 4 * line, 1.2f * line, 2.5f * line);
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const MemoryBar& bar = bars[k];
    ImGui::Dummy({1, height / 4});
    ImGui::TextUnformatted(bar.run.c_str());
    ImGui::SameLine();
    if (!bar.refused.empty()) {
      ImGui::TextDisabled("%s", bar.refused.c_str());
      continue;
    }
    faint_text(bar_text(bar, batches, limit));
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "formula: tensors and stages by their extents; the line in the bar\nallocated: with scratch, and 64-byte "
          "multiples\npeak: the most at a time; the workspace is one piece from the first step to the last%s%s",
          bar.over.empty() ? "" : "\n", bar.over.c_str());
    draw_bar(bar, most, space.x, height);
    draw_parts(bar);
  }
}

// What the slider that was just drawn stands at, beside it, where its knob does not cover it.
void draw_setting(const std::string& text) {
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  ImGui::TextUnformatted(text.c_str());
}

void draw_controls(Scene& scene) {
  State next = scene.state;
  // Three sliders and their numbers share the width.
  const auto size_of_text = [](const char* longest) { return ImGui::CalcTextSize(longest).x; };
  const float texts = size_of_text("N = 65 536") + size_of_text("bf16") + size_of_text("192 GiB");
  const float gaps = 4 * ImGui::GetStyle().ItemSpacing.x + 3 * ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x - texts - gaps);
  constexpr std::int64_t kLeast = 1, kMost = 512;
  ImGui::SetNextItemWidth(width * 0.4f);
  if (ImGui::SliderScalar("##n", ImGuiDataType_S64, &next.spec.n, &kLeast, &kMost, "", ImGuiSliderFlags_NoInput))
    scene.change(next, "n");
  draw_setting("N = " + grouped(next.spec.n));
  ImGui::SameLine(0, 2 * ImGui::GetStyle().ItemSpacing.x);
  auto type = static_cast<int>(std::ranges::find(kDTypes, next.dtype) - kDTypes.begin());
  ImGui::SetNextItemWidth(width * 0.2f);
  if (ImGui::SliderInt("##type", &type, 0, static_cast<int>(kDTypes.size()) - 1, "", ImGuiSliderFlags_NoInput)) {
    next.dtype = kDTypes[static_cast<std::size_t>(type)];
    scene.change(next, "dtype");
  }
  draw_setting(std::string(name(next.dtype)));
  ImGui::SameLine(0, 2 * ImGui::GetStyle().ItemSpacing.x);
  double limit = static_cast<double>(next.memory_limit) / (1 << 30);
  constexpr double kLeastGib = 0.25, kMostGib = 192;
  ImGui::SetNextItemWidth(width * 0.4f);
  if (ImGui::SliderScalar("##limit", ImGuiDataType_Double, &limit, &kLeastGib, &kMostGib, "",
                          ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput)) {
    next.memory_limit = std::llround(limit * (1 << 30));
    scene.change(next, "memory_limit");
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("The memory that a run must fit into");
  draw_setting(bytes_text(next.memory_limit));
}

// Squares whose areas are as 1 : ρ : ρ², the largest four lines high, beside what the layer's sizes give.
void draw_law(const ConvProblem& problem) {
  const CopyLaw law = copy_law(problem);
  const float line = ImGui::GetTextLineHeightWithSpacing(), largest = 4 * line, gap = line / 3;
  const ImVec2 first = ImGui::GetCursorScreenPos();
  ImVec2 at = first;
  const double most = std::max({1.0, law.im2win, law.im2col});
  const std::array<std::pair<double, std::size_t>, 3> squares{
      {{1.0, kDirectColour}, {law.im2win, kIm2winColour}, {law.im2col, kIm2colColour}}};
  for (const auto& [area, colour] : squares) {
    const float side = largest * static_cast<float>(std::sqrt(area / most));
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + largest - side}, {at.x + side, at.y + largest},
                                              palette().series[colour]);
    at.x += side + gap;
  }
  ImGui::Dummy({at.x - first.x, largest});
  ImGui::SameLine();
  ImGui::BeginGroup();
  // With spaces at which no line is broken.
  const auto ratio = [](double second, double third) {
    return "1\u00a0:\u00a0" + number_text(second) + "\u00a0:\u00a0" + number_text(third);
  };
  const std::string rho = number_text(law.rho), powers = ratio(law.rho, law.rho * law.rho);
  wrapped_text("Copies of the input:\ndirect : im2win : im2col = " + ratio(law.im2win, law.im2col));
  faint_text(law.square ? "The law 1 : ρ : ρ² with ρ = H_o H_f / H_i = " + rho + " gives " + powers + "."
                        : "The law 1 : ρ : ρ² is for square layers without padding (ρ = H_o H_f / H_i = " + rho +
                              " would give " + powers + ").");
  ImGui::EndGroup();
}

void draw(Scene& scene) {
  ImGui::BeginChild("memory");
  draw_controls(scene);
  draw_law(*scene.model().problem());
  draw_bars(scene);
  ImGui::EndChild();
}

nlohmann::ordered_json data(const Scene& scene) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::int64_t limit = scene.state.memory_limit;
  const LargestBatches batches = largest_batches(scene.model(), limit, scene.interrupted);
  const CopyLaw law = copy_law(*scene.model().problem());
  for (const MemoryBar& bar : memory_bars(scene.model(), limit))
    for (std::size_t k = 0; k < bar.parts.size(); ++k) {
      const MemoryPart& part = bar.parts[k];
      const auto number = [](bool known, std::int64_t bytes) {
        return known ? nlohmann::ordered_json(bytes) : nlohmann::ordered_json(nullptr);
      };
      rows.push_back({{"run", bar.run},
                      {"buffer", part.name},
                      {"formula", part.formula},
                      {"bytes", number(bar.known || k < bar.tensor_parts, part.bytes)},
                      {"run_by_formula", bar.by_formula()},
                      {"run_allocated", number(bar.known, bar.allocated())},
                      {"run_peak", number(bar.known, bar.peak())},
                      {"memory_limit", limit},
                      {"over_limit", bar.over},
                      {"largest_batch", batches.at(bar.run)},
                      {"rho", law.rho},
                      {"rho_law_holds", law.square},
                      {"im2win_over_direct", law.im2win},
                      {"im2col_over_direct", law.im2col}});
    }
  return rows;
}

}  // namespace

Panel memory_panel() {
  return {"memory", "Memory", "What each algorithm needs, buffer by buffer, and how many images fit", draw, data};
}

}  // namespace convlens::viewer

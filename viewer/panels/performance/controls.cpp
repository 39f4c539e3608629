// The live run with its options as switches, and the badge: where the numbers come from, and how the worker is.
#include <algorithm>
#include <cmath>

#include "algorithms/interface/registry.h"
#include "algorithms/measure/machine.h"
#include "viewer/panels/performance/performance.h"

namespace convlens::viewer {

namespace {

// On the same line where that much more fits.
void flow(float width) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width < right) ImGui::SameLine();
}

float widest(const std::vector<std::string>& texts) {
  float width = 0;
  for (const std::string& text : texts) width = std::max(width, ImGui::CalcTextSize(text.c_str()).x);
  return width + ImGui::GetFrameHeight() + 3 * ImGui::GetStyle().FramePadding.x;
}

void draw_choice_of_row(Bench& bench) {
  const Algorithm& now = *bench.compared.run.algorithm;
  std::vector<std::string> names;
  for (const Algorithm* row : algorithms()) names.push_back(row->id);
  ImGui::SetNextItemWidth(std::min(widest(names), ImGui::GetContentRegionAvail().x));
  if (!ImGui::BeginCombo("##row", now.id.c_str())) return;
  for (const Algorithm* row : algorithms())
    if (ImGui::Selectable(row->id.c_str(), row == &now)) {
      State next = bench.state();
      next.performance.run = row->id;
      bench.scene.change(std::move(next), "");
    }
  ImGui::EndCombo();
}

// A checkbox for what is on or off, a list for what has other values.
void draw_switch(Bench& bench, const Option& option) {
  OptionSet options = bench.compared.run.options;
  const std::string value = options[option.id];
  const float title = ImGui::CalcTextSize(option.id.c_str()).x + ImGui::GetStyle().ItemInnerSpacing.x;
  const bool simple = option.values.size() == 2 && std::ranges::find(option.values, "on") != option.values.end();
  const float box = simple ? ImGui::GetFrameHeight() : widest(option.values);
  flow(box + title);
  if (simple) {
    bool on = value == "on";
    if (ImGui::Checkbox(option.id.c_str(), &on)) {
      const auto off = std::ranges::find_if(option.values, [](const std::string& v) { return v != "on"; });
      options.set(option.id, on ? "on" : *off);
      bench.change_options(options);
    }
  } else {
    ImGui::SetNextItemWidth(box);
    if (ImGui::BeginCombo(option.id.c_str(), value.c_str())) {
      for (const std::string& other : option.values)
        if (ImGui::Selectable(other.c_str(), other == value)) {
          options.set(option.id, other);
          bench.change_options(options);
        }
      ImGui::EndCombo();
    }
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s: %s", option.title.c_str(), option.sentence.c_str());
}

// "recorded on …" or "measured on …", with that machine's system where it is not this one's.
std::string origin(const Bench& bench, const Curve& curve) {
  if (!curve.made_on.empty()) return "recorded on " + curve.made_on;
  const worker::Client* client = bench.study.client();
  if (client == nullptr || !client->hello()) return "measured";
  const worker::Hello& there = *client->hello();
  return "measured on " + (curve.unit == "cpu" ? there.cpu : there.gpu) +
         (there.host == machine().host ? "" : " (" + there.host + ")");
}

// How far the last samples are apart: on a machine that does other things besides, far.
std::string spread(const worker::Line& line) {
  const double spread = line.spread();
  return std::isfinite(spread) ? ", spread " + std::to_string(std::lround(100 * spread)) + " %" : "";
}

// The change that makes the closest record the one on show, as a button.
void offer_closest(Bench& bench) {
  const Curve* closest = bench.records.closest(bench.compared.job);
  if (closest == nullptr) return faint_text("Neither measured nor recorded.");
  const worker::Job& job = closest->job;
  const std::string says = "Not measured. Recorded is " + job.run + ", N = " + std::to_string(job.spec.n) + ", " +
                           std::string(name(job.dtype)) + ", " + std::string(name(job.layouts.x)) +
                           (job.cold_cache ? ", cold" : "") + ", on " + closest->made_on;
  faint_text(says);
  flow(ImGui::CalcTextSize("show it").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (!ImGui::SmallButton("show it")) return;
  State next = bench.state();
  next.spec = job.spec;
  next.dtype = job.dtype;
  next.layouts = job.layouts;
  next.performance.run = job.run;
  next.performance.timed = job.kernel_alone ? "kernel" : job.cold_cache ? "cold" : "call";
  bench.scene.change(std::move(next), "");
}

void draw_worker(Bench& bench) {
  const worker::Client* client = bench.study.client();
  if (client == nullptr) return;
  using State = worker::Client::State;
  if (client->state() == State::ready && client->says().empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, client->state() == State::starting ? palette().faint : palette().wrong);
  ImGui::TextWrapped("The worker %s", client->says().c_str());
  ImGui::PopStyleColor();
  if (client->state() == State::starting || client->state() == State::ready) return;
  flow(ImGui::CalcTextSize("start another").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::SmallButton("start another")) bench.study.restart();
}

}  // namespace

void draw_run(Bench& bench) {
  draw_choice_of_row(bench);
  for (const Option* option : switches(*bench.compared.run.algorithm)) draw_switch(bench, *option);
}

void draw_badge(Bench& bench) {
  const Curve* shown = bench.shown();
  if (shown != nullptr && !shown->line.ms.empty()) {
    const bool recorded = !shown->made_on.empty();
    ImGui::PushStyleColor(ImGuiCol_Text, palette().series[recorded ? 1 : 2]);
    const worker::Client* client = bench.study.client();
    const bool moves = client != nullptr && client->state() == worker::Client::State::ready;
    ImGui::TextUnformatted(recorded ? "recorded" : moves ? "live" : "measured");
    ImGui::PopStyleColor();
    const std::string says = shown->line.run + ": " + worker::rate_text(shown->line.tflops()) + ", " +
                             origin(bench, *shown) + ", " + std::to_string(shown->line.ms.size()) + " samples" +
                             spread(shown->line);
    flow(ImGui::CalcTextSize("live").x + 8 * ImGui::GetTextLineHeight());
    faint_text(says);
  } else if (shown != nullptr && !shown->refused.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().wrong);
    ImGui::TextWrapped("%s", shown->refused.c_str());
    ImGui::PopStyleColor();
    offer_closest(bench);
  } else if (shown != nullptr && !bench.study.stalled()) {
    faint_text(bench.compared.job.run + ": being made ready");
  } else {
    offer_closest(bench);
  }
  draw_worker(bench);
}

}  // namespace convlens::viewer

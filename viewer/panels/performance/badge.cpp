// The badge: where the numbers come from, measured here and now or recorded on what and how, and how the worker is.
#include <algorithm>
#include <cmath>

#include "algorithms/measure/machine.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// "measured on …", with that machine's system where it is not this one's.
std::string measured_on(const Bench& bench, const Curve& curve) {
  const worker::Client* client = bench.study.client();
  if (client == nullptr || !client->hello()) return "measured";
  const worker::Hello& there = *client->hello();
  return "measured on " + (curve.unit == "cpu" ? there.cpu : there.gpu) +
         (there.host == machine().host ? "" : " (" + there.host + ")");
}

void coloured(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

void offer(Bench& bench, const State& next, const char* title) {
  flow(ImGui::CalcTextSize(title).x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::SmallButton(title)) bench.scene.change(next, "");
}

// Where not even the run itself is recorded on this layer: what is closest to it, or the layers that are.
void offer_closest(Bench& bench) {
  const Curve* closest = closest_record(bench.scene.state, bench.records);
  if (closest == nullptr) {
    const std::string layers = recorded_layers(bench.records);
    return faint_text("Neither measured nor recorded." + (layers.empty() ? "" : " Recorded are " + layers + "."));
  }
  const worker::Job& job = closest->job;
  faint_text("Neither measured nor recorded. Recorded is " + job.run + ", " + settings_text(job) + ", on " +
             closest->made_on);
  State next = bench.scene.state;
  next.performance.run = job.run;
  offer(bench, recorded_state(next, bench.records).value_or(next), "show it");
}

void draw_recorded(Bench& bench, const Curve& curve) {
  coloured(palette().series[1], "recorded");
  flow(14 * ImGui::GetTextLineHeight());
  faint_text(curve.line.run + ": " + worker::rate_text(curve.rate()) + ", " + settings_text(curve.job) + ", on " +
             curve.made_on + ", " + curve.samples_text() + spread_text(curve.spread()));
  const std::string asked = asked_differently(bench.scene.state, bench.shown_state);
  if (asked.empty()) return;
  faint_text("It stands in for " + asked + ", which is not recorded.");
  offer(bench, bench.shown_state, "take these");
}

void draw_measured(Bench& bench, const Curve& curve) {
  const bool live = &curve == bench.study.live() && bench.study.moves();
  coloured(palette().series[2], live ? "live" : "measured");
  flow(14 * ImGui::GetTextLineHeight());
  faint_text(curve.line.run + ": " + worker::rate_text(curve.rate()) + ", " + measured_on(bench, curve) + ", " +
             curve.samples_text() + spread_text(curve.spread()));
}

// What the line of the live run does not say of the other numbers.
void draw_others(Bench& bench, const Curve* shown) {
  const std::string& chart = bench.shown_state.performance.chart;
  std::vector<worker::Job> jobs = bench.compared.wanted(chart);
  if (chart == "live") jobs.insert(jobs.end(), bench.compared.rows.begin(), bench.compared.rows.end());
  if (const std::string recorded = recorded_among(bench.known(jobs), shown); !recorded.empty())
    faint_text((chart == "live" ? "" : "Squares: ") + recorded);
  const auto gone = static_cast<std::int64_t>(bench.study.ghosts_gone());
  if (chart == "live" && gone > 0)
    faint_text("Of the lines that were left the last " + std::to_string(Study::kMostGhosts) + " are drawn, " +
               counted(gone, "older one") + " not");
}

void draw_worker(Bench& bench) {
  const worker::Client* client = bench.study.client();
  if (client == nullptr) return;
  using State = worker::Client::State;
  if (const std::string note = client->note(); !note.empty()) faint_text("The worker " + note);
  if (client->state() == State::ready && client->says().empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, client->state() == State::starting ? palette().faint : palette().wrong);
  wrapped_text("The worker " + client->says());
  ImGui::PopStyleColor();
  if (client->state() == State::starting || (client->state() == State::ready && !client->is_idle())) return;
  flow(ImGui::CalcTextSize("start another").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::SmallButton("start another")) bench.study.restart();
}

}  // namespace

std::string source_text(const Curve& curve) {
  return curve.made_on.empty() ? "measured on " + curve.measured_on : "recorded on " + curve.made_on;
}

void draw_badge(Bench& bench) {
  const Curve* shown = bench.shown();
  if (shown != nullptr && !shown->line.ms.empty() && !shown->made_on.empty()) {
    draw_recorded(bench, *shown);
    if (bench.why_not.empty()) faint_text(bench.scene.state.performance.run + ": being made ready");
  } else if (shown != nullptr && !shown->line.ms.empty()) {
    draw_measured(bench, *shown);
  } else if (shown != nullptr && shown->refused.empty() && bench.why_not.empty() && !bench.study.stalled()) {
    faint_text(bench.compared.job.run + ": being made ready");
  } else {
    offer_closest(bench);
  }
  draw_others(bench, shown);
  draw_worker(bench);
}

}  // namespace convlens::viewer

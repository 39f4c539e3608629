// The Performance panel: a run measured again and again while its options are switched, what each option is worth, the
// roofline, and sweeps. Numbers are measured by the worker, or recorded and then said to be so.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "algorithms/shortened.h"
#include "viewer/panels/panels.h"
#include "viewer/panels/performance/performance.h"
#include "viewer/ui/keys.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

// The comparisons of a state, made anew only when it changes: they ask every row whether it computes the layer.
struct Compared {
  std::string key;
  State state;
  std::optional<Comparisons> value;
};
const Compared& compared(Scene& scene, const std::string& name, const std::function<State()>& state) {
  auto& made = scene.kept.get<Compared>(name);
  const std::string key = std::to_string(scene.version) + to_json(scene.state.performance).dump();
  if (made.key == key) return made;
  made = {key, state(), {}};
  made.value = comparisons(made.state);
  return made;
}

// The state's own, or, where its live run is neither measured nor recorded, as it was recorded.
const Compared& on_show(Scene& scene, const Records& records) {
  const Compared& own = compared(scene, "comparisons", [&] { return scene.state; });
  if (!records_stand_in(*scene.study) || !own.value || known(*scene.study, records, own.value->job) != nullptr)
    return own;
  return compared(scene, "recorded comparisons",
                  [&] { return recorded_state(scene.state, records).value_or(scene.state); });
}

// The button that measures what the chart needs, or how far that has come and how it is ended.
void draw_measuring(Bench& bench, const Comparisons& asked) {
  Study& study = bench.study;
  const Study::Progress progress = study.progress();
  if (progress.all == 0) {
    if (!study.can_measure()) return;
    const std::vector<worker::Job> jobs = asked.wanted(bench.scene.state.performance.chart);
    ImGui::BeginDisabled(!bench.why_not.empty());
    if (ImGui::Button(
            ((jobs.size() == 1 ? "Measure " : "Measure all ") + counted(static_cast<std::int64_t>(jobs.size()), "run"))
                .c_str()))
      study.measure(jobs);
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Everything that this chart compares; Esc ends it, and keeps what is done");
    if (bench.why_not.empty()) return;
    flow(12 * ImGui::GetTextLineHeight());
    return faint_text("not here: " + bench.why_not);
  }
  if (study.stalled()) {
    faint_text(counted(progress.all - progress.done, "measurement waits", "measurements wait") + " for another worker");
    ImGui::SameLine();
    if (ImGui::SmallButton("Cancel (Esc)") || pressed(Key::escape)) study.cancel();
    return;
  }
  std::string left = std::to_string(progress.done) + " of " + counted(progress.all, "pass", "passes") + ", " +
                     std::to_string(Study::kPasses) + " a run";
  if (std::isfinite(progress.seconds_left))
    left += ", " + std::to_string(std::lround(progress.seconds_left)) + " s left";
  const float cancel = ImGui::CalcTextSize("Cancel (Esc)").x + 4 * ImGui::GetStyle().FramePadding.x;
  ImGui::ProgressBar(static_cast<float>(progress.done) / static_cast<float>(progress.all),
                     {std::max(1.0f, ImGui::GetContentRegionAvail().x - cancel), 0}, left.c_str());
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", progress.now.c_str());
  ImGui::SameLine();
  if (ImGui::Button("Cancel (Esc)") || pressed(Key::escape)) study.cancel();
}

// The live line beside the waterfall and the roofline where all have room, else under each other.
void draw_live(Bench& bench) {
  const float line = ImGui::GetTextLineHeight(), gap = ImGui::GetStyle().ItemSpacing.x;
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const Contributions all = contributions(bench.compared, bench.measurements(), bench.records);
  if (space.x < 50 * line) {
    // What does not fit of the table is scrolled to; the plot is seen as a whole.
    constexpr float kLeast = 6, kGood = 10;
    const float bars = std::min(waterfall_height(all), std::max(0.0f, space.y - kGood * line));
    draw_live_plot(bench, {space.x, std::max(kLeast * line, space.y - bars)});
    return draw_waterfall(bench, all, space.x);
  }
  const float right = std::max(26 * line, space.x * 0.4f), top = ImGui::GetCursorPosY();
  draw_live_plot(bench, {space.x - right - gap, space.y});
  ImGui::SameLine();
  ImGui::BeginGroup();
  draw_waterfall(bench, all, right);
  const float rest = space.y - (ImGui::GetCursorPosY() - top);
  if (rest > 12 * line) draw_roofline(bench, {right, rest});
  ImGui::EndGroup();
}

void draw_chart(Bench& bench) {
  const std::string& chart = bench.shown_state.performance.chart;
  if (chart == "live") return draw_live(bench);
  constexpr float kLeastLines = 12;  // what does not fit is scrolled to
  ImVec2 space = ImGui::GetContentRegionAvail();
  space.y = std::max(space.y, kLeastLines * ImGui::GetTextLineHeight());
  chart == "roofline" ? draw_roofline(bench, space) : draw_sweep(bench, space);
}

void draw(Scene& scene) {
  ImGui::BeginChild("performance");
  constexpr float kLines = 32;  // from here on everything has a place of its own
  const bool little_room = ImGui::GetContentRegionAvail().y < kLines * ImGui::GetTextLineHeight();
  draw_choices(scene, little_room);
  static const Records none;
  const auto* shipped =
      scene.kept.get<Later<const Records*>>("records").get("shipped", scene.painter, [] { return &shipped_records(); });
  const Records& records = shipped == nullptr ? none : **shipped;
  const Compared& own = compared(scene, "comparisons", [&] { return scene.state; });
  if (own.value && scene.state.spec.n == 0) {
    scene.study->rest();
    faint_text("N is 0: there is nothing to measure.");
  } else if (own.value) {
    scene.study->show(own.value->job);
    const std::string why_not = why_not_measured(*scene.study);
    const Compared& shown = shipped == nullptr ? own : on_show(scene, records);
    Bench bench{scene, *scene.study, records, shown.state, *shown.value, why_not};
    draw_run(bench, little_room);
    draw_badge(bench);
    draw_measuring(bench, *own.value);
    draw_chart(bench);
  } else {
    faint_text(shortened(scene.state.performance.run) + ": no row of this name and with these options");
    if (ImGui::Button("take im2win.cpu")) {
      State next = scene.state;
      next.performance.run = PerformanceState().run;
      scene.change(std::move(next), "");
    }
  }
  ImGui::EndChild();
}

}  // namespace

const Study& Bench::measurements() const {
  static const Study none;
  return stands_in() ? none : study;
}

std::vector<const Curve*> Bench::known(const std::vector<worker::Job>& of) const {
  std::vector<const Curve*> curves;
  for (const worker::Job& job : of)
    if (const Curve* curve = known(job)) curves.push_back(curve);
  return curves;
}

// Of a run that was recorded otherwise than is asked for, the record, although the study still has the other as live.
const Curve* Bench::shown() const {
  const Curve* live = study.live();
  const bool refused = live != nullptr && !live->refused.empty();
  const Curve* other = live == nullptr || refused || live->line.ms.empty() ? known(compared.job) : nullptr;
  return other != nullptr ? other : live;
}

void Bench::change_run(const std::string& run) const {
  State next = scene.state;
  next.performance.run = run;
  scene.change(std::move(next), "");
}

ImU32 Bench::colour_of(const std::string& run) const {
  if (run == compared.job.run) return palette().lit;
  const auto found = std::ranges::find(compared.rows, run, &worker::Job::run);
  constexpr std::size_t kUnlikeLit[]{0, 2, 3, 4, 6, 7};  // the others are too near to the live run's own
  const auto number = static_cast<std::size_t>(found - compared.rows.begin());
  const ImU32 colour = palette().series[kUnlikeLit[number % std::size(kUnlikeLit)]];
  if (number / std::size(kUnlikeLit) % 2 == 0) return colour;
  // A second round of the colours, half way to the text's.
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(colour), b = ImGui::GetStyleColorVec4(ImGuiCol_Text);
  return ImGui::ColorConvertFloat4ToU32({(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2, 1});
}

Panel performance_panel() {
  return {"performance", "Performance", "What it costs, measured while you switch its options", draw, performance_data};
}

}  // namespace convlens::viewer

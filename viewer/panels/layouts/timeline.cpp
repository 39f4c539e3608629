#include "viewer/panels/layouts/timeline.h"

#include <algorithm>
#include <cmath>

#include "algorithms/error.h"
#include "viewer/logic/comparisons.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr const char* kLaunched = "launched";
constexpr const char* kHappened = "happened";

std::uint32_t times(std::uint32_t colour, double factor) {
  const auto part = [&](int shift) {
    return static_cast<std::uint32_t>(std::lround(factor * static_cast<double>(colour >> shift & 255))) << shift;
  };
  return 0xff000000u | part(16) | part(8) | part(0);
}

std::string microseconds(std::int64_t ns) { return number_text(static_cast<double>(ns) / 1e3) + " µs"; }

// Blocks by their order, dark to bright: in full where they run, dimmed once they are over, before that much darker.
std::uint32_t shade(std::int64_t number, std::size_t count, bool to_come, bool over) {
  constexpr double kToCome = 0.3, kOver = 0.62;
  const auto last = static_cast<double>(std::max<std::size_t>(2, count) - 1);
  return times(viridis(0.15 + 0.85 * static_cast<double>(number) / last), to_come ? kToCome : over ? kOver : 1);
}

// The job that has the schedule's run traced on the layer that is shown.
worker::Job tracing(const State& state, const Schedule& schedule) {
  const Run run = parse_run(schedule.run);
  worker::Job job = job_of(state, run_name(*run.algorithm, run.options));
  job.kernel_alone = job.cold_cache = false;
  job.traced = true;
  return job;
}

// A trace that the worker has made of it; null without one. Read once.
SharedTrace measured(Scene& scene, const worker::Job& job) {
  const Curve* const curve = scene.study->find(job);
  if (curve == nullptr || curve->record.empty()) return nullptr;
  struct Read {
    std::string record;
    SharedTrace trace;
  };
  Read& read = scene.kept.get<Read>("trace of the worker");
  if (read.record != curve->record) {
    read = {curve->record, nullptr};
    try {
      read.trace = std::make_shared<const gpu::Trace>(gpu::parse_trace(curve->record));
    } catch (const BadInput&) {
      return nullptr;  // a worker that answers with something else has answered nothing
    }
  }
  return read.trace;
}

// One that ships; it lives as long as the program.
SharedTrace shared(const gpu::Trace* trace) { return {std::shared_ptr<const void>(), trace}; }

void show(Scene& scene, const gpu::Trace& trace, const std::string& instead_of) {
  State next = scene.state;
  next.layer = trace.layer;
  next.spec = trace.spec;
  next.dtype = trace.dtype;
  next.layouts = trace.layouts;
  std::ranges::replace(next.runs, instead_of, trace.run);
  next.order = kHappened;
  scene.change(std::move(next), "");
}

// What can be had where there is no trace: one of a GPU here or far away, and the closest that ships.
void offer(Scene& scene, const Schedule& schedule, const worker::Job& job, const Traces& traces) {
  Study& study = *scene.study;
  if (const Curve* const curve = study.find(job); curve != nullptr && !curve->refused.empty())
    faint_text("Not traced: " + curve->refused);
  if (study.can_measure()) {
    const bool is_idle = study.client() != nullptr && study.client()->is_idle();
    if (study.stalled())
      faint_text("Not traced: the worker " + study.client()->says());
    else if (study.progress().all > 0)
      faint_text(is_idle ? "tracing; the worker " + study.client()->says() : "tracing ...");
    else if (ImGui::SmallButton("trace it on the GPU"))
      study.measure({job});
    ImGui::SameLine();
  }
  const gpu::Trace* const closest = traces.closest(job);
  if (closest == nullptr) return faint_text("No trace of this row: convlens trace writes one");
  if (ImGui::SmallButton("show it")) show(scene, *closest, schedule.run);
  ImGui::SameLine();
  faint_text("recorded is " + closest->run + (closest->layer.empty() ? "" : " on " + closest->layer) +
             ", N = " + std::to_string(closest->spec.n) + ", " + std::string(name(closest->dtype)) + ", " +
             std::string(name(closest->layouts.x)) + ", on " + closest->gpu);
}

// The place of a block on the timeline's sheet, (multiprocessor, place, bin).
Box bar(const Timeline& line, const ScheduledBlock& block) {
  const std::int64_t from = line.bin_at(block.span->begin_ns), to = line.bin_at(block.span->end_ns);
  return {{block.span->sm, line.place_of[static_cast<std::size_t>(block.index)], from}, {1, 1, to - from + 1}};
}

void draw_lanes(Scene& scene, const std::shared_ptr<const Timeline>& line, const SharedTrace& trace,
                const SharedBlocks& blocks, std::int64_t now, const std::string& key) {
  draw_title("multiprocessors down, time across",
             {microseconds(line->last_ns), counted(static_cast<std::int64_t>(trace->blocks.size()), "block"),
              std::to_string(line->places) + " at a time on a multiprocessor"},
             "Colour: the launch order, dark to bright; framed: the blocks of the image. Those that run beside the "
             "present one in full, those that are over dimmed, those that have not begun darkened");
  const std::vector<Axis> axes{{"multiprocessor", "", line->multiprocessors, line->multiprocessors, 0},
                               {"place", "", line->places, line->places, 0},
                               {"time", "", line->bins, line->bins, 0}};
  const Sheet sheet(axes, {0, 1}, {2}, {});
  const ImU32 idle = ImGui::GetColorU32(ImGuiCol_ChildBg);
  const std::int64_t time = blocks->blocks[static_cast<std::size_t>(now)].span->begin_ns;
  GridContents contents{sheet, key + "," + std::to_string(time) + (scene.state.dark ? "d" : "l"),
                        [line, trace, time, idle](std::int64_t row, std::int64_t column) -> std::uint32_t {
                          const std::int32_t block = line->block(row, column);
                          if (block < 0) return idle;
                          const auto& span = trace->blocks[static_cast<std::size_t>(block)];
                          return shade(block, trace->blocks.size(), span.begin_ns > time, span.end_ns < time);
                        },
                        [line](std::int64_t row, std::int64_t column) {
                          const std::int32_t block = line->block(row, column);
                          return block < 0 ? std::string() : std::to_string(block);
                        }};
  std::vector<Box> of_image;
  for (const ScheduledBlock& block : blocks->blocks) of_image.push_back(bar(*line, block));
  const std::vector<Box> present{of_image[static_cast<std::size_t>(now)]};
  contents.lit = &of_image;
  contents.used = &present;
  contents.lit_key = std::to_string(now) + "," + std::to_string(blocks->image);
  contents.lens = contents.lines = false;
  const GridAnswer answer =
      grid("grid", scene.views["schedule timeline"], contents, scene.painter, ImGui::GetContentRegionAvail());
  if (!answer.pointed) return;
  const std::int32_t block = line->block(answer.pointed->row, answer.pointed->column);
  if (block >= 0)
    ImGui::SetTooltip("block %d%s", block, span_text(trace->blocks[static_cast<std::size_t>(block)]).c_str());
}

}  // namespace

std::uint32_t colour_of_block(const BlocksOfImage& blocks, std::int64_t now, std::int64_t number) {
  if (number < 0) return palette().wrong;
  const auto& span = blocks.blocks[static_cast<std::size_t>(number)].span;
  const bool over = span && span->end_ns < blocks.blocks[static_cast<std::size_t>(now)].span->begin_ns;
  return shade(number, blocks.blocks.size(), number > now, over);
}

std::string span_text(const gpu::BlockSpan& span) {
  return ", on multiprocessor " + std::to_string(span.sm) + " from " +
         number_text(static_cast<double>(span.begin_ns) / 1e3) + " to " + microseconds(span.end_ns);
}

SharedTrace draw_order(Scene& scene, const Schedule& schedule) {
  const auto choice = [&](const char* title, const char* id, const char* says) {
    if (ImGui::RadioButton(title, scene.state.order == id)) {
      State next = scene.state;
      next.order = id;
      scene.change(std::move(next), "");
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", says);
  };
  choice("in launch order", kLaunched, "block 0, 1, 2, …: what the kernel's text decides");
  ImGui::SameLine();
  choice("as it happened", kHappened, "traced on a GPU: where and when each block ran");
  if (scene.state.order != kHappened) return nullptr;

  const worker::Job job = tracing(scene.state, schedule);
  const auto* const ready =
      scene.kept.get<Later<const Traces*>>("traces").get("shipped", scene.painter, [] { return &shipped_traces(); });
  static const Traces none;
  const Traces& traces = ready == nullptr ? none : **ready;
  SharedTrace trace = measured(scene, job);
  const bool here = trace != nullptr;
  if (trace == nullptr) trace = shared(traces.find(job));
  if (trace == nullptr) return offer(scene, schedule, job, traces), nullptr;
  if (trace->kernel != schedule.launch->kernel.entry || trace->grid != schedule.launch->grid) {
    faint_text("The trace is of another version of this kernel.");
    return offer(scene, schedule, job, traces), nullptr;
  }
  ImGui::SameLine();
  faint_text((here ? "traced on " : "recorded on ") + trace->gpu + ", " + trace->time.substr(0, 10));
  return trace;
}

void draw_timeline(Scene& scene, const SharedTrace& trace, const SharedBlocks& blocks, std::int64_t now, ImVec2 size) {
  if (begin_pane("timeline", size)) {
    // As many bins as let the whole fill the pane.
    const ImVec2 space = ImGui::GetContentRegionAvail();
    const double shape = std::round(8 * static_cast<double>(space.x) / std::max(1.0f, space.y)) / 8;
    const std::string key = trace->run + trace->time + std::to_string(trace->spec.n) + "," + number_text(shape);
    const auto* const made =
        scene.kept.get<Later<std::shared_ptr<const Timeline>>>("timeline").get(key, scene.painter, [trace, shape] {
          return std::make_shared<const Timeline>(timeline(*trace, shape));
        });
    if (made != nullptr) draw_lanes(scene, *made, trace, blocks, now, key);
  }
  ImGui::EndChild();
}

}  // namespace convlens::viewer

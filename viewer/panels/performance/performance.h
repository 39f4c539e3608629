// The Performance panel's parts, one file each.
#pragma once

#include "viewer/logic/comparisons.h"
#include "viewer/ui/scene.h"

namespace convlens::viewer {

// What a frame of the panel is drawn from.
struct Bench {
  Scene& scene;
  Study& study;
  const Records& records;
  const Comparisons& compared;

  const State& state() const { return scene.state; }
  const Curve* known(const worker::Job& of) const { return viewer::known(study, records, of); }

  // The live line, or what is recorded of the live run; null for neither.
  const Curve* shown() const;

  // Makes the live run one with these options.
  void change_options(const OptionSet& options) const;
  ImU32 colour_of(const std::string& run) const;
};

// What a sweep varies, as it is written: "C_i" for "c_i".
const char* swept_title(const std::string& swept);

void draw_run(Bench& bench);                     // the live run and its switches
void draw_badge(Bench& bench);                   // where the numbers come from, and what the worker is doing
void draw_live_plot(Bench& bench, ImVec2 size);  // samples, median, ghosts, peers
void draw_waterfall(Bench& bench, float width);  // what each option is worth
void draw_roofline(Bench& bench, ImVec2 size);   // each row's two points
void draw_sweep(Bench& bench, ImVec2 size);      // a curve a row, and where they cross

}  // namespace convlens::viewer

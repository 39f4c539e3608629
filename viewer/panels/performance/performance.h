// The Performance panel's parts, one file each.
#pragma once

#include "viewer/logic/stand_in.h"
#include "viewer/ui/scene.h"

namespace convlens::viewer {

// What a frame of the panel is drawn from.
struct Bench {
  Scene& scene;
  Study& study;
  const Records& records;
  const State& shown_state;     // the scene's, or, where nothing is measured, as its live run was recorded
  const Comparisons& compared;  // of that
  std::string why_not = {};     // why nothing is measured; "" where something is, or may be

  // Whether what is shown is recorded otherwise than was asked for.
  bool stands_in() const { return !asked_differently(scene.state, shown_state).empty(); }

  // Whose measurements count: where records stand in nobody's, for they would be of another state than is asked for.
  const Study& measurements() const;

  const Curve* known(const worker::Job& of) const { return viewer::known(measurements(), records, of); }
  std::vector<const Curve*> known(const std::vector<worker::Job>& of) const;

  // The live line, or what is recorded of the live run; null for neither.
  const Curve* shown() const;

  // Makes the live run this one.
  void change_run(const std::string& run) const;
  ImU32 colour_of(const std::string& run) const;
};

// "recorded on …" or "measured on …".
std::string source_text(const Curve& curve);

// What a sweep varies, as it is written: "C_i" for "c_i".
const char* swept_title(const std::string& swept);

// On the same line where that much more fits.
void flow(float width);
float width_of_list(const std::vector<std::string>& texts);  // a combo with these

void draw_choices(Scene& scene, bool little_room);  // which chart, timed how, what is swept
void draw_run(Bench& bench, bool little_room);      // the live run and its switches
void draw_badge(Bench& bench);                      // where the numbers come from, and what the worker is doing
void draw_live_plot(Bench& bench, ImVec2 size);     // samples, median, ghosts, peers
void draw_waterfall(Bench& bench, const Contributions& all, float width);  // what each option is worth
float waterfall_height(const Contributions& all);                          // about
void draw_roofline(Bench& bench, ImVec2 size);                             // each row's two points
void draw_sweep(Bench& bench, ImVec2 size);                                // a curve a row, and where they cross

nlohmann::ordered_json performance_data(const Scene& scene);

}  // namespace convlens::viewer

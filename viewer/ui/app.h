// The application: keeps the history of states, derives from the present one what is shown, and builds a frame of it.
//
// It needs a Dear ImGui context and OpenGL, and knows neither windows nor files: the window, the off-screen picture and
// the tests drive the same frames.
#pragma once

#include <memory>

#include "viewer/platform/window.h"
#include "viewer/ui/scene.h"
#include "viewer/viewer.h"

namespace convlens::viewer {

class App {
 public:
  App(State first, PictureFiles pictures);

  // Builds one frame into ImGui's draw lists. `monitor_scale` counts while the state has no scale of its own.
  // Between ImGui::NewFrame and ImGui::Render.
  Next frame();

  // Before ImGui::NewFrame: fonts and style for the state's theme and scale, where they have changed.
  // True when fonts were rebuilt, and the backend must upload them again.
  bool prepare(double monitor_scale);

  const State& state() const { return history_.now(); }
  const Model& model() const { return *model_; }
  const Links& links() const { return links_; }
  Scene scene();
  void change(State next, const std::string& key = "") { history_.change(std::move(next), key); }
  void undo() { history_.undo(); }
  void redo() { history_.redo(); }
  void finish_painting() { painter_.finish(); }

 private:
  void derive();
  void shortcuts();
  void draw_help();

  History history_;
  PictureFiles pictures_;
  State derived_from_;  // the state that model, links and values belong to
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Values> values_;
  Links links_;
  int version_ = 0;
  std::map<std::string, GridView> views_;
  Painter painter_;  // after what it paints into: it is gone first
  Cursor pointed_;
  bool help_ = false;
  bool dark_ = true;
  float scale_ = 0;
  std::optional<std::pair<State, std::string>> proposed_;
};

// The parts of the frame, each in a file of its own.
void draw_sidebar(Scene& scene);
void draw_status_bar(Scene& scene);

}  // namespace convlens::viewer

// The application: keeps the history of states, derives from the present one what is shown, and builds a frame of it.
//
// It needs a Dear ImGui context, and knows neither windows nor files: the window, the off-screen picture and the tests
// drive the same frames.
#pragma once

#include <memory>

#include "viewer/logic/kernel_sheet.h"
#include "viewer/platform/window.h"
#include "viewer/ui/menu.h"
#include "viewer/ui/notice.h"
#include "viewer/ui/scene.h"
#include "viewer/ui/status_bar.h"
#include "viewer/viewer.h"

namespace convlens::viewer {

// A part of the frame, in pixels, to be written as a picture once it is drawn.
struct PictureRequest {
  std::string file;
  int x = 0, y = 0, width = 0, height = 0;
};

class App {
 public:
  // `worker` is the program that measures for the Performance panel; none: nothing is measured.
  App(State first, Files files, std::string notice = "", std::vector<std::string> worker = {});

  // Builds one frame into ImGui's draw lists. Between ImGui::NewFrame and ImGui::Render.
  Next frame();

  // Before ImGui::NewFrame: fonts and style for the state's theme and scale, where they have changed. `monitor_scale`
  // counts while the state has no scale of its own. True when fonts were rebuilt, and the backend must upload them.
  bool prepare(double monitor_scale);

  // After the frame is drawn: the picture of it that was asked for, once.
  std::optional<PictureRequest> take_picture_request();
  void write_picture(const PictureRequest& request, const std::vector<unsigned char>& rgba);

  const State& state() const { return history_.now(); }
  const Model& model() const { return *model_; }
  const Links& links() const { return links_; }
  const std::string& notice() const { return notice_.text(); }
  const std::map<std::string, GridView>& views() const { return views_; }
  Scene scene();
  void change(State next, const std::string& key = "");
  void undo();
  void redo();
  bool finish_painting(const std::function<bool()>& interrupted = [] { return false; }) {
    return painter_.finish(interrupted);
  }
  Study& study() { return study_; }

  // What the panel in front draws, as rows of flat objects.
  nlohmann::ordered_json data(const std::function<bool()>& interrupted = [] { return false; });

 private:
  void derive();
  void go_by(void (History::*step)());  // of undo or redo
  Sources sources(const ConvProblem& problem);
  void shortcuts();
  void propose(State next, const std::string& key);
  void go_on(State next, const std::string& key);
  Cursor kept_on_a_cell(const Cursor& cursor, const Model& before, const Model& now) const;
  void obey(const Wish& wish);
  void say_written(const std::string& file);
  void change_scale(double scale);
  KernelSheet shown_kernel() const;

  History history_;
  Files files_;
  Notice notice_;
  State derived_from_;  // the state that model, links and values belong to
  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Values> values_;
  Links links_;
  int version_ = 0, links_version_ = 0;
  std::map<std::string, GridView> views_;
  Kept kept_;
  Study study_;
  Menu menu_;
  StatusBar status_bar_;
  Painter painter_;  // after what it paints into: it is gone first
  Cursor pointed_;
  Cursor wanted_;          // what was last pointed at, which a smaller layer may lack
  PictureRequest centre_;  // where the panel is
  std::optional<PictureRequest> picture_request_;
  int frames_to_picture_ = 0;  // until the dialog that asked for it is gone
  bool playing_ = false;
  bool quit_ = false;
  bool dark_ = true;
  float scale_ = 0;
  std::optional<std::pair<State, std::string>> proposed_;
};

}  // namespace convlens::viewer

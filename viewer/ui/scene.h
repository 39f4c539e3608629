// What a panel gets: the state and what follows from it, to read; a way to change it; and what users have made of the
// drawings, such as zooms.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "viewer/logic/links.h"
#include "viewer/logic/model.h"
#include "viewer/logic/state.h"
#include "viewer/logic/study.h"
#include "viewer/logic/values.h"
#include "viewer/ui/grid.h"

namespace convlens::viewer {

// What panels keep from frame to frame, each thing under a name of its own.
class Kept {
 public:
  template <class T>
  T& get(const std::string& name) {
    std::any& thing = things_[name];
    if (!thing.has_value()) thing = std::make_shared<T>();
    return *std::any_cast<std::shared_ptr<T>&>(thing);
  }

 private:
  std::map<std::string, std::any> things_;
};

struct Scene {
  const State& state;
  std::shared_ptr<const Model> shared_model;
  std::shared_ptr<const Values> values;  // null while the layer is illegal
  const Links& links;
  int version = 0;        // changes whenever a value or a map may have changed
  int links_version = 0;  // changes whenever `links` does
  float scale = 1;        // of everything, monitor and user together
  std::map<std::string, GridView>& views;
  Kept& kept;
  Painter& painter;

  // Proposes another state; the frame after this one shows it. Changes with one `key` are one step of undo.
  std::function<void(State next, const std::string& key)> change;

  // What the pointer is on, for the status bar; set by panels while they draw.
  Cursor* pointed = nullptr;

  // Whether the scrubber moves by itself.
  bool* playing = nullptr;

  // What is measured, and has been.
  Study* study = nullptr;

  // Whether what the panel's data take long for is not wanted any more; what it then says is thrown away.
  std::function<bool()> interrupted = [] { return false; };

  const Model& model() const { return *shared_model; }
};

// A panel: one file in viewer/panels/, one row in panels.cpp.
struct Panel {
  const char* id;        // "layouts", one of panel_names()
  const char* title;     // "Layouts"
  const char* sentence;  // what it shows, for the tooltip
  void (*draw)(Scene& scene);
  nlohmann::ordered_json (*data)(const Scene& scene);  // what it draws, as rows: an array of flat objects
};

const std::vector<Panel>& panels();

}  // namespace convlens::viewer

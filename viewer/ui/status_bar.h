// The bottom lines: a notice, if there is one, and everything that is known about the cell that the pointer is on.
#pragma once

#include <string>

#include "viewer/ui/scene.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

class StatusBar {
 public:
  // What has no room is in a tooltip.
  void draw(Scene& scene, const std::string& notice);

  // Whether the pointer is on it, and somebody may be reading.
  bool hovered() const { return hovered_; }

 private:
  Later<CellWords> words_;  // a value can take long: an output's spectrum needs those of all channels
  bool hovered_ = false;
};

}  // namespace convlens::viewer

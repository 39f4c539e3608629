// What is typed between two frames, in its order. Dear ImGui takes in a frame's characters first and its keys after
// them, each key once: "a", Return, "b" typed within one frame would come out as "ab" and a new line. So a frame gets
// no more than can be taken in that order, and the next one goes on.
#pragma once

#include <deque>
#include <vector>

namespace convlens::viewer {

struct KeyEvent {
  int key = 0, scancode = 0, action = 0, mods = 0;  // GLFW's; of a character, 0
  unsigned character = 0;                           // of Unicode; 0 for a key

  bool operator==(const KeyEvent&) const = default;
};

class KeyQueue {
 public:
  void add(const KeyEvent& event) { events_.push_back(event); }
  bool empty() const { return events_.empty(); }

  // What the next frame gets: any number of characters and of the keys that made them, or one key that does something
  // else, such as Return.
  std::vector<KeyEvent> take();

 private:
  std::deque<KeyEvent> events_;
};

}  // namespace convlens::viewer

#include "viewer/platform/key_queue.h"

#include <GLFW/glfw3.h>

namespace convlens::viewer {

namespace {

// A key that does something, where others make characters or wait for them.
bool acts(const KeyEvent& event) {
  if (event.character != 0) return false;
  const bool modifier = event.key >= GLFW_KEY_LEFT_SHIFT && event.key <= GLFW_KEY_RIGHT_SUPER;
  const bool keypad = event.key >= GLFW_KEY_KP_0 && event.key <= GLFW_KEY_KP_EQUAL && event.key != GLFW_KEY_KP_ENTER;
  if (modifier) return false;
  return (event.key >= GLFW_KEY_ESCAPE && !keypad) || (event.mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0;
}

}  // namespace

std::vector<KeyEvent> KeyQueue::take() {
  std::vector<KeyEvent> taken;
  bool typed = false;
  while (!events_.empty()) {
    const KeyEvent event = events_.front();
    const bool act = acts(event);
    if (act && typed && event.action != GLFW_RELEASE) break;
    events_.pop_front();
    taken.push_back(event);
    if (act) break;  // a key that goes down again must have been seen to be up
    typed = typed || event.character != 0;
  }
  return taken;
}

}  // namespace convlens::viewer

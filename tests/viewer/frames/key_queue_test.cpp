// What is typed faster than frames are drawn reaches Dear ImGui in its order.
#include "viewer/platform/key_queue.h"

#include <GLFW/glfw3.h>

#include "tests/catch.h"

namespace {

using namespace convlens::viewer;

KeyEvent key(int code, int action = GLFW_PRESS, int mods = 0) { return {code, 0, action, mods, 0}; }
KeyEvent character(char c) { return {0, 0, 0, 0, static_cast<unsigned>(c)}; }

// A letter as GLFW reports it: the key, what it makes, and the key again.
void type(KeyQueue& queue, char c) {
  const int code = GLFW_KEY_A + (c - 'a');
  queue.add(key(code));
  queue.add(character(c));
  queue.add(key(code, GLFW_RELEASE));
}

// "ab|N|n|c": characters frame by frame, N where Return goes down and n where it goes up.
std::string frames(KeyQueue& queue) {
  std::string text;
  while (!queue.empty()) {
    text += text.empty() ? "" : "|";
    for (const KeyEvent& event : queue.take()) {
      if (event.character != 0) text += static_cast<char>(event.character);
      if (event.key == GLFW_KEY_ENTER) text += event.action == GLFW_RELEASE ? "n" : "N";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("letters share a frame, and a key that acts on them comes in the next") {
  KeyQueue queue;
  CHECK(queue.take().empty());
  for (const char c : {'a', 'b'}) type(queue, c);
  queue.add(key(GLFW_KEY_ENTER)), queue.add(key(GLFW_KEY_ENTER, GLFW_RELEASE));
  type(queue, 'c');
  CHECK(frames(queue) == "ab|N|n|c");
}

TEST_CASE("a key is seen to go up before it goes down again, and held down it repeats once a frame") {
  KeyQueue queue;
  for (int k = 0; k < 2; ++k) queue.add(key(GLFW_KEY_ENTER)), queue.add(key(GLFW_KEY_ENTER, GLFW_RELEASE));
  for (int k = 0; k < 2; ++k) queue.add(key(GLFW_KEY_ENTER, GLFW_REPEAT));
  CHECK(frames(queue) == "N|n|N|n|N|N");
}

TEST_CASE("a letter with control is a key that acts, and shift is none") {
  KeyQueue queue;
  type(queue, 'a');
  queue.add(key(GLFW_KEY_LEFT_SHIFT));
  queue.add(character('B'));
  queue.add(key(GLFW_KEY_LEFT_SHIFT, GLFW_RELEASE, GLFW_MOD_SHIFT));
  queue.add(key(GLFW_KEY_LEFT_CONTROL));
  queue.add(key(GLFW_KEY_Z, GLFW_PRESS, GLFW_MOD_CONTROL));
  queue.add(key(GLFW_KEY_KP_1));
  queue.add(character('1'));
  std::vector<std::size_t> sizes;
  while (!queue.empty()) sizes.push_back(queue.take().size());
  CHECK(sizes == std::vector<std::size_t>{7, 1, 2});
}

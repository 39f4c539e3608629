#include "viewer/platform/window.h"

#include <GLFW/glfw3.h>
#include <imgui/backends/imgui_impl_glfw.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "algorithms/error.h"
#include "viewer/platform/key_queue.h"
#include "viewer/platform/lost_display.h"
#include "viewer/platform/termination.h"

namespace convlens::viewer {

namespace {

constexpr const char* kNoDisplay =
    "view: no display (DISPLAY and WAYLAND_DISPLAY are not set or do not answer), must have one, or draw off-screen "
    "with --screenshot FILE.png";
constexpr int kWidth = 1600, kHeight = 1000;
constexpr double kFrameSeconds = 1.0 / 60, kSoonSeconds = 0.1;  // while something moves, or is to be heard of

struct Glfw {
  Glfw() {
    if (!glfwInit()) throw BadInput(kNoDisplay);
  }
  ~Glfw() { glfwTerminate(); }
};

struct Close {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};

// How much of the monitor is left beside panels and docks; nothing where the system does not say.
struct Area {
  int width = 0, height = 0;
};
Area work_area() {
  Area area;
  int x = 0, y = 0;
  if (GLFWmonitor* const monitor = glfwGetPrimaryMonitor())
    glfwGetMonitorWorkarea(monitor, &x, &y, &area.width, &area.height);
  return area;
}

// Makes the window so much smaller that its frame lies in the work area, too.
void fit(GLFWwindow* window) {
  const Area area = work_area();
  int left = 0, top = 0, right = 0, bottom = 0, width = 0, height = 0;
  glfwGetWindowFrameSize(window, &left, &top, &right, &bottom);
  glfwGetWindowSize(window, &width, &height);
  const int most_width = area.width - left - right, most_height = area.height - top - bottom;
  if (most_width <= 0 || most_height <= 0 || (width <= most_width && height <= most_height)) return;
  glfwSetWindowSize(window, std::min(width, most_width), std::min(height, most_height));
}

// What the callbacks of a window need.
struct Inside {
  const WindowEvents* events = nullptr;
  KeyQueue keys = {};
};
Inside& inside(GLFWwindow* window) { return *static_cast<Inside*>(glfwGetWindowUserPointer(window)); }

// In place of Dear ImGui's own, which then hear of keys and characters frame by frame.
void queue_keys(GLFWwindow* window) {
  glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
    inside(w).keys.add({key, scancode, action, mods, 0});
  });
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned character) { inside(w).keys.add({0, 0, 0, 0, character}); });
}

void pass_keys_on(GLFWwindow* window) {
  for (const KeyEvent& event : inside(window).keys.take()) {
    if (event.character != 0) {
      ImGui_ImplGlfw_CharCallback(window, event.character);
      continue;
    }
    if (event.action != GLFW_RELEASE) inside(window).events->press(event.key, (event.mods & GLFW_MOD_CONTROL) != 0);
    ImGui_ImplGlfw_KeyCallback(window, event.key, event.scancode, event.action, event.mods);
  }
}

float monitor_scale(GLFWwindow* window) {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window, &x, &y);
  return std::max(x, y);
}

}  // namespace

bool has_display() {
  const auto given = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return given("DISPLAY") || given("WAYLAND_DISPLAY");
}

void run_window(const std::string& title, int width, int height, const WindowEvents& events) {
  if (!has_display()) throw BadInput(kNoDisplay);
  const Glfw glfw;
  const Termination termination(glfwPostEmptyEvent);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  const bool given = width > 0 && height > 0;
  if (!given) width = kWidth, height = kHeight;
  const std::unique_ptr<GLFWwindow, Close> window(glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr));
  if (!window) throw Unsupported("view: the display has no OpenGL 3.3");
  if (!given) fit(window.get());
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  Inside of_window{&events};
  glfwSetWindowUserPointer(window.get(), &of_window);
  glfwSetDropCallback(window.get(), [](GLFWwindow* w, int count, const char** files) {
    if (count > 0) inside(w).events->drop(files[0]);
  });
  events.start();
  const LostDisplay lost(events.lost);
  ImGui_ImplGlfw_InitForOpenGL(window.get(), true);
  queue_keys(window.get());

  // Dear ImGui settles a click over two frames: a few are drawn after each event before the loop waits again.
  constexpr int kSettle = 3;
  Next next = Next::again;
  bool resting = false;
  for (int left = kSettle; !glfwWindowShouldClose(window.get()) && !termination.wanted();) {
    if (resting)  // keys that have not been passed on wait too
      glfwWaitEvents(), left = kSettle;
    else if (!of_window.keys.empty())
      glfwPollEvents(), left = kSettle;
    else if (left > 0)
      glfwWaitEventsTimeout(kFrameSeconds);
    else if (next == Next::soon)
      glfwWaitEventsTimeout(kSoonSeconds);
    else
      glfwWaitEvents(), left = kSettle;
    if (glfwGetWindowAttrib(window.get(), GLFW_ICONIFIED)) {
      if (!resting) events.rest();
      resting = true, left = 0, next = Next::wait;
      continue;
    }
    resting = false;
    pass_keys_on(window.get());
    ImGui_ImplGlfw_NewFrame();
    int pixels_x = 0, pixels_y = 0;
    glfwGetFramebufferSize(window.get(), &pixels_x, &pixels_y);
    glViewport(0, 0, pixels_x, pixels_y);
    next = events.draw(monitor_scale(window.get()));
    glfwSwapBuffers(window.get());
    if (next == Next::close) break;
    left = next == Next::again ? kSettle : left - 1;
  }
  ImGui_ImplGlfw_Shutdown();
}

}  // namespace convlens::viewer

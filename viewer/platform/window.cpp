#include "viewer/platform/window.h"

#include <GLFW/glfw3.h>
#include <imgui/backends/imgui_impl_glfw.h>
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "algorithms/error.h"
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
  glfwSetWindowUserPointer(window.get(), const_cast<WindowEvents*>(&events));
  glfwSetDropCallback(window.get(), [](GLFWwindow* w, int count, const char** files) {
    const auto& handler = *static_cast<const WindowEvents*>(glfwGetWindowUserPointer(w));
    if (count > 0) handler.drop(files[0]);
  });
  // Set before ImGui's own, which calls it.
  glfwSetKeyCallback(window.get(), [](GLFWwindow* w, int key, int, int action, int mods) {
    const auto& handler = *static_cast<const WindowEvents*>(glfwGetWindowUserPointer(w));
    if (action != GLFW_RELEASE) handler.press(key, (mods & GLFW_MOD_CONTROL) != 0);
  });
  events.start();
  ImGui_ImplGlfw_InitForOpenGL(window.get(), true);

  // Dear ImGui settles a click over two frames: a few are drawn after each event before the loop waits again.
  constexpr int kSettle = 3;
  Next next = Next::again;
  bool resting = false;
  for (int left = kSettle; !glfwWindowShouldClose(window.get()) && !termination.wanted();) {
    if (left > 0)
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

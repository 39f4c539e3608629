// What building a frame's UI costs the CPU, without OpenGL: cv4 at N = 256 with the five readable rows, all tensors on
// show, the pointer moving to another output in every frame, which is the most that can change in one; and the same
// with nothing changing. Values are painted by another thread, whose time is not counted.
#include <imgui/imgui.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "algorithms/problem/layers.h"
#include "kernels/rows.h"
#include "viewer/logic/state.h"
#include "viewer/ui/app.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

State busy_state(const std::string& arrangement) {
  State state = first_state();
  state.layer = "cv4";
  state.spec = find_layer(state.layer).spec;
  state.spec.n = 256;
  state.picture = "random";
  state.arrangement = arrangement;
  return state;
}

// Milliseconds a frame, the median of `frames`; `move` changes the cursor before each.
double milliseconds(App& app, int frames, bool move) {
  std::vector<double> times;
  for (int k = 0; k < frames; ++k) {
    if (move) {
      State next = app.state();
      next.cursor = {"y", {0, 0, 40 + k % 100, 60 + k % 90}};
      app.change(next, "cursor");
    }
    app.prepare(1);
    const double start = cpu_seconds();
    ImGui::NewFrame();
    app.frame();
    ImGui::Render();
    times.push_back(1e3 * (cpu_seconds() - start));
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main() {
  gpu::add_rows();
  for (const std::string& arrangement : arrangement_names()) {
    ImGui::CreateContext();
    {
      App app(busy_state(arrangement), {});
      ImGuiIO& io = ImGui::GetIO();
      io.IniFilename = nullptr;
      io.DisplaySize = {1600, 1000};
      io.DeltaTime = 1.0f / 60;
      app.prepare(1);
      unsigned char* pixels = nullptr;
      int width = 0, height = 0;
      io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
      milliseconds(app, 5, false);
      const double still = milliseconds(app, 40, false), moving = milliseconds(app, 40, true);
      std::printf("%-10s still %6.3f ms   pointer moving %6.3f ms a frame\n", arrangement.c_str(), still, moving);
    }
    ImGui::DestroyContext();
  }
}

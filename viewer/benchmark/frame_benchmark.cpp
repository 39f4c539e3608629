// What building a frame's UI costs the CPU, without OpenGL: cv4 at N = 256 with the five readable rows, all tensors on
// show, the pointer moving to another output in every frame, which is the most that can change in one; and the same
// with nothing changing. Values are painted by another thread, whose time is not counted.
//
// And what passes between the start of a program and its first frame: this program again, which loads the same
// libraries, makes a context for OpenGL without a window and draws the first state, a photograph included, once.
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "algorithms/problem/layers.h"
#include "kernels/rows.h"
#include "viewer/logic/state.h"
#include "viewer/platform/offscreen.h"
#include "viewer/ui/app.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double cpu_seconds() { return seconds(CLOCK_THREAD_CPUTIME_ID); }

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

// The program's one argument when it is started to draw one frame: when it was started.
int draw_first_frame(double started) {
  gpu::add_rows();
  const Offscreen offscreen(1600, 1000);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = {1600, 1000};
  ImGui_ImplOpenGL3_Init("#version 330 core");
  {
    Files files;
    files.read_picture = [](const std::string&) {
      return Photograph{512, 768, 3, std::vector<float>(512 * 768 * 3, 0.5f)};
    };
    App app(first_state(), files);
    app.prepare(1);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    app.frame();
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    offscreen.pixels();  // once they are there
    std::printf("%.9f\n", seconds(CLOCK_MONOTONIC) - started);
    std::fflush(stdout);
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  return 0;
}

// Seconds, the least of five starts.
double first_frame(const char* program) {
  double least = 1e9;
  for (int k = 0; k < 5; ++k) {
    char command[512];
    std::snprintf(command, sizeof command, "'%s' %.9f", program, seconds(CLOCK_MONOTONIC));
    std::FILE* const answer = popen(command, "r");
    double took = 1e9;
    if (answer == nullptr || std::fscanf(answer, "%lf", &took) != 1) return -1;
    pclose(answer);
    least = std::min(least, took);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return draw_first_frame(std::stod(argv[1]));
  std::printf("from the start to the first frame %.3f s\n", first_frame(argv[0]));
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

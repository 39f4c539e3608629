// What building a frame's UI costs the CPU, without OpenGL: cv4 at N = 256 with the five readable rows, all tensors on
// show, the pointer moving to another output in every frame, which is the most that can change in one; and the same
// with nothing changing. Values are painted by another thread, whose time is not counted.
//
// The Performance panel with 10 000 samples on its plot; and how long after an option is flipped the first sample of
// the new line is there, with a worker of this machine (this program's neighbour `convlens`).
//
// And what passes between the start of a program and its first frame: this program again, which loads the same
// libraries, makes a context for OpenGL without a window and draws the first state, a photograph included, once.
#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "algorithms/problem/layers.h"
#include "kernels/rows.h"
#include "viewer/logic/comparisons.h"
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

// A worker that measures nothing: it says 10 000 samples of its first job, some of them ten times as slow.
std::vector<std::string> worker_of_many_samples() {
  return worker::shell_words(R"(
echo '{"is":"hello","protocol":2,"revision":"","host":"nowhere","cpu":"none","gpu":""}'
read job
echo '{"is":"started","id":1,"run":"none","unit":"cpu","flops":1000000000,"executed_flops":1000000000,'\
'"tensor_bytes":1000000,"workspace_bytes":0}'
awk 'BEGIN { for (line = 0; line < 100; ++line) {
  printf "{\"is\":\"samples\",\"id\":1,\"ms\":["
  for (k = 0; k < 100; ++k) printf "%s%.4f", k ? "," : "", 2 + rand() + (rand() < 0.02 ? 20 : 0)
  print "]}" } fflush(); while (1) system("sleep 1") }')");
}

State performance_state() {
  State state = first_state();
  state.panel = "performance";
  state.spec.n = 4;
  state.picture = "random";
  return state;
}

// Milliseconds a frame with 10 000 samples on the plot.
double plot_milliseconds(int frames, std::size_t& samples) {
  ImGui::CreateContext();
  double result = 0;
  {
    App app(performance_state(), {}, "", worker_of_many_samples());
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1600, 1000};
    io.DeltaTime = 1.0f / 60;
    app.prepare(1);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    const auto count = [&] { return app.study().live() == nullptr ? 0 : app.study().live()->line.ms.size(); };
    for (int k = 0; k < 1000 && count() < 10'000; ++k) milliseconds(app, 1, false), usleep(5000);
    samples = count();
    result = milliseconds(app, frames, false);
  }
  ImGui::DestroyContext();
  return result;
}

// Milliseconds from flipping an option to the first sample of its line, the worst of `flips`.
double flip_milliseconds(const std::string& program, const std::string& layer, int flips) {
  Study study({program.substr(0, program.rfind('/') + 1) + "convlens", "worker"});
  State state = performance_state();
  state.layer = layer;
  state.spec = find_layer(layer).spec;
  state.spec.n = 4;
  double worst = 0;
  for (int k = 0; k <= flips; ++k) {
    const double start = seconds(CLOCK_MONOTONIC);
    study.show(job_of(state, usual_run() + (k % 2 == 0 ? "" : ":prefetch=off")));
    while (study.live()->line.ms.empty() && seconds(CLOCK_MONOTONIC) < start + 30) study.poll(), usleep(500);
    if (k > 0) worst = std::max(worst, 1e3 * (seconds(CLOCK_MONOTONIC) - start));  // the first starts the worker, too
  }
  return worst;
}

// How this program asks itself for a first frame; when it was started follows.
constexpr const char* kStartedAt = "--started-at";

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
    std::snprintf(command, sizeof command, "'%s' %s %.9f", program, kStartedAt, seconds(CLOCK_MONOTONIC));
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
  if (argc == 3 && std::string(argv[1]) == kStartedAt) return draw_first_frame(std::stod(argv[2]));
  if (argc > 1) {
    std::fprintf(stderr, "arguments: %s, must be none\n", argv[1]);
    return 2;
  }
  std::printf("from the start to the first frame %.3f s\n", first_frame(argv[0]));
  gpu::add_rows();
  std::size_t samples = 0;
  const double plot = plot_milliseconds(40, samples);
  std::printf("performance with %zu samples %6.3f ms a frame\n", samples, plot);
  for (const char* layer : {"cv9", "cv4"})
    std::printf("flip to first sample, %s N = 4, the slowest of ten: %.0f ms\n", layer,
                flip_milliseconds(argv[0], layer, 10));
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

#include "viewer/ui/session.h"

#include <imgui/backends/imgui_impl_opengl3.h>

#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "algorithms/measure/device.h"
#include "viewer/logic/table.h"
#include "viewer/panels/panels.h"
#include "viewer/platform/offscreen.h"
#include "viewer/platform/pixels.h"
#include "viewer/platform/window.h"
#include "viewer/ui/app.h"
#include "viewer/ui/backend.h"
#include "viewer/ui/keys.h"
#include "viewer/ui/measuring.h"

namespace convlens::viewer {

namespace {

constexpr const char* kGlsl = "#version 330 core";

struct ImGuiContextOwner {
  ImGuiContextOwner() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;  // what is kept between sessions is the state
  }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
};

void start_drawing() {
  if (!ImGui_ImplOpenGL3_Init(kGlsl))
    throw Unsupported("view: libGL.so.1, must be where the loader finds it (LD_LIBRARY_PATH)");
}

// One frame of `app` into the current framebuffer; the caller has told ImGui the size and the pointer.
Next draw_frame(App& app, double monitor_scale) {
  begin_frame(app, monitor_scale);
  hold_noted_keys();
  ImGui::NewFrame();
  const Next next = app.frame();
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (const auto wanted = app.take_picture_request()) {
    const int height = static_cast<int>(ImGui::GetIO().DisplaySize.y);
    app.write_picture(*wanted, read_pixels(wanted->x, wanted->y, wanted->width, wanted->height, height));
    return Next::again;
  }
  return next;
}

}  // namespace

// What a window ended as; where that is kept nowhere, why.
void keep(const State& last, const ViewOptions& options) {
  if (!options.state_file.empty())
    write_kept_state(last, options.state_file);
  else if (!options.notice.empty())
    options.say("view: " + options.notice);
}

// The display has gone from under the window, which keeps what it keeps when it is closed.
Exit keep_without_display(const State& last, const ViewOptions& options) {
  std::string says = "view: the display is gone";
  try {
    if (!options.state_file.empty()) write_kept_state(last, options.state_file);
    const std::string kept = options.state_file.empty() ? options.notice : "the state is kept in " + options.state_file;
    says += (kept.empty() ? "" : "; ") + kept;
  } catch (const Error& error) {
    says += std::string("; ") + error.what();
  }
  options.say(says);
  return Exit::no_device;
}

void run_in_window(const ViewOptions& options) {
  const ImGuiContextOwner context;
  std::unique_ptr<App> app;
  run_window("Convlens", options.width, options.height,
             {[&] {
                start_drawing();
                app = std::make_unique<App>(options.state, options.files, options.notice, options.worker);
              },
              [&](double scale) { return draw_frame(*app, scale); },
              [&](const std::string& file) {
                State next = app->state();
                next.picture = file;
                app->change(std::move(next));
              },
              note_key, [&] { app->study().pause(); },
              [&] { return static_cast<int>(keep_without_display(app->state(), options)); }});
  const State last = app->state();
  app.reset();
  ImGui_ImplOpenGL3_Shutdown();
  keep(last, options);
}

// Whether there is something to write, and what has failed meanwhile.
Measured measure(App& app, const ViewOptions& options) {
  if (options.measure_seconds <= 0) return {true, {}};
  if (app.state().panel != "kernel") return measure_runs(app, options);
  if (const std::string why = why_no_device(); !why.empty()) throw NoDevice("--measure: " + why);
  Scene scene = app.scene();
  ask_kernel_trial(scene);
  return {true, {}};
}

// Whether to stop. What has been measured is drawn and written even when measuring was interrupted.
std::function<bool()> interruption(App& app, const ViewOptions& options) {
  if (app.study().has_samples()) return [] { return false; };
  return options.interrupted;
}

// The data as they are to be written, unless it is interrupted.
std::string data_text(App& app, const ViewOptions& options, const std::function<bool()>& interrupted) {
  if (options.export_data.empty()) return "";
  const nlohmann::ordered_json rows = app.data(interrupted);
  return interrupted() ? "" : to_text_for(options.export_data, rows);
}
void write_data_text(const std::string& text, const ViewOptions& options) {
  if (!options.export_data.empty()) options.files.write_text(options.export_data, text);
}

// Draws until nothing moves any more; false where it is interrupted while work of the background is waited for.
bool draw_at_rest(App& app, const ViewOptions& options, const std::function<bool()>& interrupted) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
  constexpr int kSettle = 8;  // frames until what depends on the frame before, or on work begun there, has come to rest
  for (int k = 0; k < kSettle; ++k) {
    io.DeltaTime = 1.0f / 60;
    if (options.pointer_x && options.pointer_y)
      io.MousePos = {static_cast<float>(*options.pointer_x), static_cast<float>(*options.pointer_y)};
    draw_frame(app, 1.0);
    if (!app.finish_painting(interrupted)) return false;  // so that the next frame shows it
  }
  return true;
}

// Picture and data are whole, and both there, or neither is.
void draw_screenshot(const ViewOptions& options) {
  const Offscreen offscreen(options.width, options.height);
  const ImGuiContextOwner context;
  start_drawing();
  {
    App app(options.state, options.files, options.notice, options.worker);
    const Measured measured = measure(app, options);
    app.study().hold();  // a GPU that draws measures its own drawing
    const auto interrupted = interruption(app, options);
    if (measured.anything && draw_at_rest(app, options, interrupted)) {
      const std::string text = data_text(app, options, interrupted);
      if (!interrupted()) {
        options.files.write_picture(options.screenshot, options.width, options.height, offscreen.pixels());
        write_data_text(text, options);
      }
    }
    if (measured.failure) throw Error(*measured.failure);
  }
  ImGui_ImplOpenGL3_Shutdown();
}

void write_data(const ViewOptions& options) {
  App app(options.state, options.files, options.notice, options.worker);
  const Measured measured = measure(app, options);
  const auto interrupted = interruption(app, options);
  if (measured.anything)
    if (const std::string text = data_text(app, options, interrupted); !interrupted()) write_data_text(text, options);
  if (measured.failure) throw Error(*measured.failure);
}

void view(const ViewOptions& options) {
  if (!options.screenshot.empty()) return draw_screenshot(options);
  if (!options.export_data.empty()) return write_data(options);
  run_in_window(options);
}

}  // namespace convlens::viewer

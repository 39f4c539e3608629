#include "viewer/ui/app.h"

#include <imgui/imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "algorithms/error.h"
#include "viewer/logic/state_rules.h"
#include "viewer/logic/table.h"
#include "viewer/ui/keys.h"
#include "viewer/ui/sidebar.h"
#include "viewer/ui/tour_card.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr float kSidebarWidth = 300, kStatusLines = 2.7f;

// Every part of the state on which model and values depend; the rest only changes how they are looked at.
bool same_model(const State& a, const State& b) {
  return a.spec == b.spec && a.dtype == b.dtype && a.layouts == b.layouts && a.runs == b.runs &&
         a.picture == b.picture && a.seed == b.seed;
}

void draw_panels(Scene& scene) {
  if (!ImGui::BeginTabBar("panels")) return;
  std::string& shown = scene.kept.get<std::string>("tab in front");
  for (const Panel& panel : panels()) {
    // The state chooses the tab, so that undo, a state file and the command line can; a click changes the state.
    const bool chosen = scene.state.panel == panel.id;
    const ImGuiTabItemFlags flags = chosen && shown != panel.id ? ImGuiTabItemFlags_SetSelected : 0;
    const bool open = ImGui::BeginTabItem(panel.title, nullptr, flags);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", panel.sentence);
    if (ImGui::IsItemClicked() && !chosen) {
      State next = scene.state;
      next.panel = panel.id;
      scene.change(std::move(next), "");
    }
    if (!open) continue;
    shown = panel.id;
    if (scene.model().problem())
      panel.draw(scene);
    else
      faint_text("Nothing to show until the layer is legal: the rules it breaks are on the left.");
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

// Menus, lists of choices, the dialog: whatever is open above the frame.
void close_popups() {
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) ImGui::ClosePopupToLevel(0, true);
}

}  // namespace

App::App(State first, Files files, std::string notice, std::vector<std::string> worker)
    : history_(std::move(first)), files_(std::move(files)), study_(std::move(worker)) {
  wanted_ = state().cursor;
  notice_.say(std::move(notice));
  derive();
}

// A picture that cannot be read is said in the status bar; until there is another, the numbers are random.
Sources App::sources(const ConvProblem& problem) {
  if (state().picture == "random") return random_sources(problem, state().seed);
  try {
    return picture_sources(problem, files_.read_picture(state().picture));
  } catch (const Error& error) {
    notice_.say(std::string(error.what()) + "; random numbers are shown");
    return random_sources(problem, state().seed);
  }
}

void App::derive() {
  if (model_ && derived_from_ == state()) return;
  const bool same = model_ && same_model(derived_from_, state());
  if (!same) {
    ++version_;
    values_.reset();
    model_ = std::make_shared<Model>(state());
    if (model_->problem()) values_ = std::make_shared<Values>(model_, sources(*model_->problem()));
  }
  if (!same || derived_from_.cursor != state().cursor) {
    ++links_version_;
    links_ = links_of(*model_, model_->valid(state().cursor));
  }
  derived_from_ = state();
}

Scene App::scene() {
  return {state(),
          model_,
          values_,
          links_,
          version_,
          links_version_,
          scale_,
          views_,
          kept_,
          painter_,
          [this](State next, const std::string& key) { propose(std::move(next), key); },
          &pointed_,
          &playing_,
          &study_};
}

// A hand's click and what moves by itself can fall into one frame: neither takes the other's change away.
void App::propose(State next, const std::string& key) {
  if (!proposed_) {
    proposed_.emplace(std::move(next), key);
    return;
  }
  std::string& step = proposed_->second;  // pointing is part of none
  if (same_but_for_cursor(proposed_->first, state()))
    step = key;
  else if (step != key && !same_but_for_cursor(next, state()))
    step.clear();
  proposed_->first = with_changes(proposed_->first, state(), next);
}

// A cursor that was on a cell stays on one when another layer or row takes that away, the nearest to the one pointed
// at: where that is there again, as when more of a size is typed, or it is undone, so is the cursor.
Cursor App::kept_on_a_cell(const Cursor& cursor, const Model& before, const Model& now) const {
  return before.wrong_cursor(cursor).empty() && now.problem() ? now.valid(wanted_) : cursor;
}

void App::change(State next, const std::string& key) {
  if (next.cursor != state().cursor) wanted_ = next.cursor;
  go_on(std::move(next), key);
}

// With a cursor that nobody has pointed with.
void App::go_on(State next, const std::string& key) {
  if (!same_but_for_cursor(next, state())) notice_.forget();  // pointing elsewhere comes of moving the mouse
  history_.change(std::move(next), key);
}

void App::undo() { go_by(&History::undo); }

void App::redo() { go_by(&History::redo); }

void App::go_by(void (History::*step)()) {
  notice_.forget();
  derive();
  const std::shared_ptr<const Model> before = model_;
  (history_.*step)();
  derive();
  State next = state();
  next.cursor = kept_on_a_cell(next.cursor, *before, *model_);
  history_.change(std::move(next));
}

bool App::prepare(double monitor_scale) {
  const auto scale = static_cast<float>(state().scale > 0 ? state().scale : monitor_scale);
  const bool fonts = scale != scale_;
  if (fonts || state().dark != dark_) apply_theme(state().dark, scale);
  if (fonts) load_fonts(scale);
  scale_ = scale;
  dark_ = state().dark;
  return fonts;
}

void App::change_scale(double scale) {
  State next = state();
  next.scale = scale == 0 ? 0 : std::clamp(scale, kLeastScale, kMostScale);
  const double now = next.scale;
  change(std::move(next), "scale");
  if (now != scale)
    notice_.say("scale: " + number_text(scale, 3) + ", must be from 0.5 to 4; it is " + number_text(now, 3));
}

void App::shortcuts() {
  const ImGuiIO& io = ImGui::GetIO();
  if (pressed(Key::escape)) {
    notice_.forget();
    close_popups();
  }
  if (pressed(Key::z, true)) io.KeyShift ? redo() : undo();
  if (pressed(Key::y, true)) redo();
  constexpr double kStep = 1.1;
  if (pressed(Key::plus, true)) change_scale(static_cast<double>(scale_) * kStep);
  if (pressed(Key::minus, true)) change_scale(static_cast<double>(scale_) / kStep);
  if (pressed(Key::zero, true)) change_scale(0);
}

// Where: the folder that a name without one is written into is not always known.
void App::say_written(const std::string& file) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(file, unknown).lexically_normal();
  notice_.say((unknown ? file : whole.string()) + " is written");
}

void App::obey(const Wish& wish) {
  try {
    switch (wish.kind) {
      case Wish::Kind::picture:
        require_picture_name("picture", wish.text);
        picture_request_ = centre_;
        picture_request_->file = wish.text;
        frames_to_picture_ = 3;
        break;
      case Wish::Kind::data:
        files_.write_text(wish.text, to_text_for(wish.text, data()));
        say_written(wish.text);
        break;
      case Wish::Kind::save_state:
        write_state(state(), wish.text);
        say_written(wish.text);
        break;
      case Wish::Kind::open_state:
        change(read_state(wish.text));
        wanted_ = state().cursor;
        break;
      case Wish::Kind::save_kernel:
        files_.write_text(wish.text, shown_kernel().text);
        say_written(wish.text);
        break;
      case Wish::Kind::open_kernel: {
        State next = state();
        next.kernel.texts[shown_kernel().file] = read_kernel_text(wish.text);
        change(std::move(next));
        break;
      }
      case Wish::Kind::undo:
        undo();
        break;
      case Wish::Kind::redo:
        redo();
        break;
      case Wish::Kind::copy:
        ImGui::SetClipboardText(wish.text.c_str());
        notice_.say(wish.copied + " is on the clipboard");
        break;
      case Wish::Kind::scale:
        change_scale(wish.scale);
        break;
      case Wish::Kind::quit:
        quit_ = true;
        break;
    }
  } catch (const Error& error) {
    notice_.say(error.what());
    menu_.refuse(wish, error.what());
  }
}

KernelSheet App::shown_kernel() const {
  if (!model_->problem()) throw BadInput("kernel: none is shown, the layer is not legal");
  KernelSheet sheet = kernel_sheet(state(), *model_->problem());
  if (!sheet.refused.empty()) throw Unsupported(sheet.refused);
  return sheet;
}

std::optional<PictureRequest> App::take_picture_request() {
  if (!picture_request_ || --frames_to_picture_ > 0) return std::nullopt;
  return std::exchange(picture_request_, std::nullopt);
}

void App::write_picture(const PictureRequest& request, const std::vector<unsigned char>& rgba) {
  try {
    files_.write_picture(request.file, request.width, request.height, rgba);
    say_written(request.file);
  } catch (const Error& error) {
    notice_.say(error.what());
    menu_.refuse({Wish::Kind::picture, request.file}, error.what());
  }
}

nlohmann::ordered_json App::data(const std::function<bool()>& interrupted) {
  derive();
  if (const std::vector<std::string> wrong = wrong_in(state(), *model_); !model_->problem())
    throw BadInput(wrong.empty() ? "export: the layer is not legal" : wrong.front());
  const auto panel = std::ranges::find_if(panels(), [&](const Panel& p) { return state().panel == p.id; });
  Scene scene = this->scene();
  scene.interrupted = interrupted;
  nlohmann::ordered_json rows = panel->data(scene);
  if (rows.empty() && interrupted()) return rows;
  if (rows.empty() && model_->problem()->n() == 0)
    throw Unsupported("export: " + state().panel + ", has nothing to write: N is 0, must be ≥ 1");
  if (rows.empty())
    throw Unsupported("export: " + state().panel + ", has nothing to write for this layer and these rows");
  return rows;
}

Next App::frame() {
  if (!status_bar_.hovered()) notice_.pass(ImGui::GetIO().DeltaTime);
  shortcuts();
  derive();
  study_.poll();
  if (state().panel != "performance") study_.rest();  // its numbers are not looked at, and cost the others time
  pointed_ = model_->valid(state().cursor);
  Scene scene = this->scene();

  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::Begin("Convlens", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_MenuBar);
  std::optional<Wish> wish = menu_.draw(scene, history_);
  draw_tour_card(scene);
  const float status = ImGui::GetTextLineHeightWithSpacing() * kStatusLines;
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float sidebar = std::min(kSidebarWidth * scale_, space.x * 0.34f);
  ImGui::BeginChild("sidebar", {sidebar, std::max(1.0f, space.y - status)}, true);
  draw_sidebar(scene);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("centre", {0, std::max(1.0f, space.y - status)});
  draw_panels(scene);
  const ImVec2 first = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  centre_ = {"", static_cast<int>(first.x), static_cast<int>(first.y), static_cast<int>(size.x),
             static_cast<int>(size.y)};
  ImGui::EndChild();
  if (const std::string failure = painter_.take_failure(); !failure.empty()) notice_.say(failure);
  status_bar_.draw(scene, notice_.text());
  ImGui::End();
  if (const std::optional<Wish> asked = menu_.draw_above(scene)) wish = asked;
  forget_keys();

  if (proposed_) {
    State& next = proposed_->first;
    if (next.cursor != state().cursor) wanted_ = next.cursor;
    if (!same_model(next, state())) next.cursor = kept_on_a_cell(next.cursor, *model_, Model(next));
    go_on(std::move(next), proposed_->second);
    proposed_.reset();
    if (!wish) return Next::again;
  }
  if (wish) obey(*wish);
  if (quit_) return Next::close;
  if (wish || picture_request_ || painter_.busy() || playing_) return Next::again;
  if (!study_.busy()) return notice_.text().empty() || status_bar_.hovered() ? Next::wait : Next::soon;
  // What is measured must not be disturbed by drawing, but a hand wants to see what it does.
  const ImGuiIO& io = ImGui::GetIO();
  return io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || ImGui::IsAnyMouseDown() ? Next::again : Next::soon;
}

}  // namespace convlens::viewer

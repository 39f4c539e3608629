#include "tests/viewer/frames/screen.h"

#include <imgui/backends/imgui_impl_opengl3.h>
#include <imgui/imgui_internal.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

#include "algorithms/error.h"
#include "tests/catch.h"
#include "viewer/ui/backend.h"

namespace convlens::testing {

namespace {

ImGuiWindow* window_named(const std::string& name) {
  for (ImGuiWindow* window : GImGui->Windows)
    if (window->WasActive && name == window->Name) return window;
  return nullptr;
}

Area area_of(const ImRect& r) { return {r.Min.x, r.Min.y, r.Max.x, r.Max.y}; }

// A photograph with all colours, without a file.
viewer::Photograph gradient() {
  constexpr std::int64_t kSide = 24;
  viewer::Photograph photo{kSide, kSide, 3, {}};
  for (std::int64_t row = 0; row < kSide; ++row)
    for (std::int64_t column = 0; column < kSide; ++column)
      for (const std::int64_t value : {row, column, (row * column) % kSide})
        photo.samples.push_back(static_cast<float>(value) / kSide);
  return photo;
}

}  // namespace

bool Area::within(const Area& o) const {
  return left >= o.left - 0.5f && top >= o.top - 0.5f && right <= o.right + 0.5f && bottom <= o.bottom + 0.5f;
}

bool Area::overlaps(const Area& o) const {
  return left < o.right - 0.5f && o.left < right - 0.5f && top < o.bottom - 0.5f && o.top < bottom - 0.5f;
}

std::string Area::text() const {
  std::ostringstream text;
  text << "(" << left << ", " << top << ") to (" << right << ", " << bottom << ")";
  return text.str();
}

std::uint32_t Frame::at(int x, int y) const {
  const std::size_t first =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4;
  return rgba[first] | static_cast<std::uint32_t>(rgba[first + 1]) << 8 |
         static_cast<std::uint32_t>(rgba[first + 2]) << 16;
}

bool Frame::near(int x, int y, ImU32 colour) const {
  const std::uint32_t here = at(x, y);
  for (int shift = 0; shift < 24; shift += 8)
    if (std::abs(static_cast<int>(here >> shift & 255) - static_cast<int>(colour >> shift & 255)) > 12) return false;
  return true;
}

int Frame::count(const Area& area, ImU32 colour) const {
  int count = 0;
  for (int y = static_cast<int>(area.top); y < std::min(height, static_cast<int>(area.bottom)); ++y)
    for (int x = static_cast<int>(area.left); x < std::min(width, static_cast<int>(area.right)); ++x)
      count += near(x, y, colour);
  return count;
}

int Frame::colours(const Area& area) const {
  std::set<std::uint32_t> found;
  for (int y = static_cast<int>(area.top); y < std::min(height, static_cast<int>(area.bottom)); ++y)
    for (int x = static_cast<int>(area.left); x < std::min(width, static_cast<int>(area.right)) && found.size() < 64;
         ++x)
      found.insert(at(x, y));
  return static_cast<int>(found.size());
}

Screen::Screen(const viewer::State& first, int width, int height, const std::vector<std::string>& worker)
    : photograph([](const std::string&) { return gradient(); }),
      offscreen_(std::make_unique<viewer::Offscreen>(width, height)) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  ImGui_ImplOpenGL3_Init("#version 330 core");
  app_ = std::make_unique<viewer::App>(
      first,
      viewer::Files{[this](const std::string& file) { return photograph(file); },
                    [this](const std::string& file, int w, int h, const auto&) {
                      pictures[file] = {w, h};
                    },
                    [this](const std::string& file, const std::string& text) { texts[file] = text; }},
      "", worker);
  settle();
}

Screen::~Screen() {
  app_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

void Screen::one_frame(bool draw, float wheel) {
  viewer::begin_frame(*app_, 1.0);
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  viewer::hold_pointer(pointer_.x, pointer_.y, held_, wheel);
  ImGui::NewFrame();
  next_ = app_->frame();
  ImGui::Render();
  if (draw) ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (const auto wanted = app_->take_picture_request()) app_->write_picture(*wanted, {});
}

void Screen::frames(int count) {
  for (int k = 0; k < count; ++k) one_frame(false);
}

void Screen::settle() {
  constexpr int kLeast = 4, kMost = 60;
  for (int k = 0; k < kMost; ++k) {
    one_frame(false);
    app_->finish_painting();
    if (k >= kLeast && next_ == viewer::Next::wait) return;
  }
}

Frame Screen::picture() {
  settle();
  one_frame(true);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  return {static_cast<int>(size.x), static_cast<int>(size.y), offscreen_->pixels()};
}

void Screen::point(Point at) {
  pointer_ = at;
  one_frame(false);
}

void Screen::click(Point at) {
  point(at);
  frames(1);
  held_ = true;
  frames(2);
  held_ = false;
  frames(3);
}

void Screen::drag(Point from, Point to) {
  point(from);
  frames(1);
  held_ = true;
  frames(2);
  constexpr int kMoves = 8;
  for (int k = 1; k <= kMoves; ++k) {
    const float part = static_cast<float>(k) / kMoves;
    point({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
    frames(1);
  }
  held_ = false;
  frames(3);
}

void Screen::wheel(float steps) {
  one_frame(false, steps);
  frames(1);
}

void Screen::type(const std::string& text) {
  for (const char c : text) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
    frames(2);
  }
}

void Screen::key(viewer::Key key, bool control) {
  viewer::hold_key(key, true, control);
  frames(1);
  viewer::hold_key(key, false, false);
  frames(2);
}

std::vector<Screen::Window> Screen::windows() const {
  std::vector<Window> all;
  for (const ImGuiWindow* window : GImGui->Windows) {
    if (!window->WasActive || window->Hidden) continue;
    const bool child = (window->Flags & ImGuiWindowFlags_ChildWindow) != 0;
    all.push_back({window->Name,
                   child && window->ParentWindow != nullptr ? window->ParentWindow->Name : "",
                   area_of(window->Rect()),
                   area_of(window->InnerRect),
                   {window->ScrollMax.x, window->ScrollMax.y},
                   (window->Flags & (ImGuiWindowFlags_Popup | ImGuiWindowFlags_Tooltip)) != 0});
  }
  return all;
}

Screen::Window Screen::child(const std::string& id) const {
  constexpr std::size_t kHash = 9;  // "_1234ABCD"
  for (const Window& window : windows()) {
    const std::string& name = window.name;
    if (name.size() > kHash && name.substr(0, name.size() - kHash).ends_with("/" + id)) return window;
  }
  FAIL("no window " << id);
  return {};
}

std::optional<Point> Screen::scan(unsigned window, unsigned widget, float x) {
  const ImGuiWindow* in = ImGui::FindWindowByID(window);
  constexpr float kStep = 5;
  for (float y = in->InnerRect.Min.y + 2; y < in->InnerRect.Max.y; y += kStep) {
    point({x, y});
    if (GImGui->HoveredId == widget) return Point{x, y + 2};
  }
  return std::nullopt;
}

std::optional<Point> Screen::find(const std::string& name, const std::vector<std::string>& path, float column) {
  ImGuiWindow* window = window_named(name);
  if (window == nullptr) return std::nullopt;
  ImGuiID id = window->ID;
  for (const std::string& label : path) id = ImHashStr(label.c_str(), 0, id);
  const float x = window->InnerRect.Min.x + column * window->InnerRect.GetWidth();
  for (int page = 0; page < 40; ++page) {
    if (const auto found = scan(window->ID, id, x)) return found;
    if (window->Scroll.y >= window->ScrollMax.y) break;
    point(area_of(window->InnerRect).middle());
    wheel(-3);
  }
  for (int page = 0; page < 60 && window->Scroll.y > 0; ++page) wheel(5);
  return std::nullopt;
}

std::optional<Point> Screen::find_in_popup(const std::string& label, float column) {
  if (GImGui->OpenPopupStack.empty()) return std::nullopt;
  ImGuiWindow* popup = GImGui->OpenPopupStack.back().Window;
  if (popup == nullptr) return std::nullopt;
  return find(popup->Name, {label}, column);
}

bool can_draw() {
  try {
    const viewer::Offscreen probe(64, 64);
    return true;
  } catch (const Unsupported& error) {
    std::cout << "SKIP: " << error.what() << "\n";
    return false;
  }
}

}  // namespace convlens::testing

// A screen that nobody looks at: the application's frames, drawn off-screen and driven as by a hand on pointer and
// keys. Widgets are found as a hand finds them: by moving the pointer until it is on them.
#pragma once

#include <imgui/imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/platform/offscreen.h"
#include "viewer/ui/app.h"
#include "viewer/ui/keys.h"

namespace convlens::testing {

struct Point {
  float x = 0, y = 0;
};
struct Area {
  float left = 0, top = 0, right = 0, bottom = 0;

  Point middle() const { return {(left + right) / 2, (top + bottom) / 2}; }
  bool within(const Area& other) const;
  bool overlaps(const Area& other) const;
  std::string text() const;
};

// What has been drawn.
struct Frame {
  int width = 0, height = 0;
  std::vector<unsigned char> rgba;

  std::uint32_t at(int x, int y) const;         // 0x00BBGGRR
  bool near(int x, int y, ImU32 colour) const;  // up to what blending at an edge leaves
  int count(const Area& area, ImU32 colour) const;
  int colours(const Area& area) const;  // how many different ones, at most 64
};

class Screen {
 public:
  // Throws Unsupported where nothing can be drawn off-screen.
  explicit Screen(const viewer::State& first, int width = 1280, int height = 720,
                  const std::vector<std::string>& worker = {});
  ~Screen();

  viewer::App& app() { return *app_; }
  const viewer::State& state() const { return app_->state(); }

  void frames(int count);  // with pointer and keys as they are held
  void settle();           // frames until nothing moves any more, work in the background included
  Frame picture();

  void point(Point at);  // and one frame
  void click(Point at);
  void drag(Point from, Point to);
  void wheel(float steps);
  void type(const std::string& text);
  void key(viewer::Key key, bool control = false);

  // The windows that the last frame had, by what Dear ImGui calls them; children after their parents.
  struct Window {
    std::string name;    // "Convlens/centre_1234ABCD/x_1234ABCD"
    std::string parent;  // "" for one that stands by itself
    Area area;           // all of it
    Area inner;          // without its title and scrollbars
    Point scroll_most;   // how far it can be scrolled
    bool popup = false;
  };
  std::vector<Window> windows() const;

  // The child of any window that was begun with this id; fails the test when there is none.
  Window child(const std::string& id) const;

  // A point on the widget that has these labels on its path in that window, scrolling to it where need be; nothing when
  // no widget there has them. `column` is where across the window it is looked for, 0 to 1.
  std::optional<Point> find(const std::string& window, const std::vector<std::string>& path, float column);
  std::optional<Point> find_in_popup(const std::string& label, float column = 0.4f);

  std::map<std::string, std::string> texts;                          // files that were written, by name
  std::map<std::string, std::pair<int, int>> pictures;               // their sizes
  std::function<viewer::Photograph(const std::string&)> photograph;  // what pictures hold

 private:
  void one_frame(bool draw, float wheel = 0);
  std::optional<Point> scan(unsigned window, unsigned widget, float x);

  std::unique_ptr<viewer::Offscreen> offscreen_;
  std::unique_ptr<viewer::App> app_;
  viewer::Next next_ = viewer::Next::wait;
  Point pointer_{-1, -1};
  bool held_ = false;
};

// Whether this machine can draw off-screen; says so for CTest where it cannot.
bool can_draw();

}  // namespace convlens::testing

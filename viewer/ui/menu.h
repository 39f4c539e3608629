// The menu bar, the dialog that asks for a file, and the overlay of keys.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "viewer/ui/scene.h"

namespace convlens::viewer {

// What a user asks for that is not a change of the state.
struct Wish {
  enum class Kind : std::uint8_t {
    picture,
    data,
    save_state,
    open_state,
    save_kernel,
    open_kernel,
    undo,
    redo,
    copy,
    scale,
    quit
  };
  Kind kind = Kind::undo;
  std::string text;  // the file, or what to copy
  double scale = 1;
  std::string copied = "";  // what that is, in words: "the command line"
};

class Menu {
 public:
  // Inside a window with a menu bar.
  std::optional<Wish> draw(Scene& scene, const History& history);

  // The dialog and the overlay, outside any window. The keys that open them are looked at here.
  std::optional<Wish> draw_above(Scene& scene);

  // The dialog stays for a file that could not be read or written, with the reason.
  void refuse(const Wish& wish, const std::string& why);

 private:
  void ask(Wish::Kind kind, const std::string& suggested);
  void draw_file_menu(const Scene& scene);
  void draw_edit_menu(const Scene& scene, const History& history);
  void draw_view_menu(Scene& scene);
  void draw_keys(float scale);
  void draw_dialog(float scale);

  std::optional<Wish> wish_;
  Wish::Kind asked_ = Wish::Kind::picture;
  std::array<char, 1024> file_{};
  std::string why_not_;  // of the file before, or ""
  bool ask_ = false;     // the dialog opens in this frame
  bool keys_ = false;    // the overlay is shown
};

}  // namespace convlens::viewer

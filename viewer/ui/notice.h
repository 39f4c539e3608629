// What the status bar says for a while: that a file is written, or why it is not.
#pragma once

#include <string>
#include <utility>

namespace convlens::viewer {

class Notice {
 public:
  static constexpr float kSeconds = 8;  // long enough to read two lines

  void say(std::string text) { text_ = std::move(text), left_ = kSeconds; }
  void forget() { text_.clear(); }
  void pass(float seconds) {
    if (text_.empty() || (left_ -= seconds) > 0) return;
    forget();
  }

  const std::string& text() const { return text_; }  // "" for nothing

 private:
  std::string text_;
  float left_ = 0;
};

}  // namespace convlens::viewer

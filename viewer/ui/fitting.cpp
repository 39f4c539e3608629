#include "viewer/ui/fitting.h"

#include <imgui/imgui.h>

#include <algorithm>

namespace convlens::viewer {

namespace {

constexpr const char* kMore = "  …";  // apart, so that nobody takes a word for a shortened one

bool fits(const std::string& text, float width) { return ImGui::CalcTextSize(text.c_str()).x <= width; }

// What stands between spaces; in a formula, between spaces outside of parentheses.
std::vector<std::string> words_of(const std::string& text, bool formula) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (const char c : text) {
    if (formula) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if ((c == ' ' || c == '\n') && depth <= 0)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

// The longest beginning of a word that fits, of whole letters and at least one.
std::string beginning(const std::string& word, float width) {
  const auto next = [&](std::size_t at) {
    ++at;
    while (at < word.size() && (static_cast<unsigned char>(word[at]) & 0xC0) == 0x80) ++at;
    return at;
  };
  std::size_t end = next(0);
  while (end < word.size() && fits(word.substr(0, next(end)), width)) end = next(end);
  return word.substr(0, end);
}

// Sets words line by line until one has no place any more.
class Setting {
 public:
  Setting(float width, int lines) : width_(width), left_(lines) {}

  bool add(std::string word) {
    if (extend(word)) return true;
    while (left_ > 1 || lines_.empty()) {
      if (!lines_.empty()) --left_;
      lines_.push_back(beginning(word, width_));
      word.erase(0, lines_.back().size());
      if (word.empty()) return true;
    }
    return false;
  }

  // Takes words back until the mark that some are missing has a place.
  std::string shortened() {
    std::string& last = lines_.back();
    while (!last.empty() && !fits(last + kMore, width_)) {
      const std::size_t space = last.rfind(' ');
      last =
          space == std::string::npos ? beginning(last, width_ - ImGui::CalcTextSize(kMore).x) : last.substr(0, space);
      if (space == std::string::npos) break;
    }
    return text() + kMore;
  }

  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += (all.empty() ? "" : "\n") + line;
    return all;
  }

 private:
  bool extend(const std::string& word) {
    if (lines_.empty() || !fits(lines_.back() + " " + word, width_)) return false;
    lines_.back() += " " + word;
    return true;
  }

  float width_;
  int left_;
  std::vector<std::string> lines_;
};

Fitted fit(const std::vector<std::string>& words, float width, int lines) {
  Setting setting(width, lines);
  for (const std::string& word : words)
    if (!setting.add(word)) return {setting.shortened(), false};
  return {setting.text(), true};
}

}  // namespace

Fitted fitted(const std::string& text, float width, int lines) { return fit(words_of(text, false), width, lines); }

Fitted fitted_formula(const std::string& formula, float width) {
  if (fits(formula, width)) return {formula, true};
  std::string text, kept;  // with the next term, and the longest that leaves the mark a place
  for (const std::string& term : words_of(formula, true)) {
    text += (text.empty() ? "" : " ") + term;
    if (!fits(text + kMore, width)) break;
    kept = text;
  }
  return {kept + kMore, false};
}

Fitted fitted_list(const std::string& title, const std::vector<std::string>& items, float width) {
  for (std::size_t shown = items.size();; --shown) {
    std::string text = title;
    for (std::size_t k = 0; k < shown; ++k) text += (k > 0 ? ", " : " ") + items[k];
    const std::size_t left = items.size() - shown;
    if (left > 0) text += (shown > 0 ? " + " : " ") + std::to_string(left) + (shown > 0 ? " more" : "");
    if (shown == 0 || fits(text, width)) return {text, left == 0};
  }
}

}  // namespace convlens::viewer

#include "algorithms/suggest.h"

#include <algorithm>
#include <vector>

namespace convlens {

namespace {

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  if (word.empty()) return "";
  std::size_t least = std::min(std::max<std::size_t>(1, word.size() / 3), word.size() - 1) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view rule) {
  const std::string best = closest(word, candidates);
  return ", must be " + std::string(rule) + (best.empty() ? "" : "; did you mean \"" + best + "\"?");
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  std::string list;
  for (const std::string& candidate : candidates) list += (list.empty() ? "" : " | ") + candidate;
  return suggestion(word, candidates, (candidates.size() == 1 ? "" : "one of ") + list);
}

}  // namespace convlens

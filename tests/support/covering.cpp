#include "tests/support/covering.h"

#include <set>
#include <tuple>

namespace convlens::testing {

namespace {

using Choice = std::vector<std::size_t>;
using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;  // option, value, later option, value

std::set<Pair> all_pairs(const Choice& counts) {
  std::set<Pair> pairs;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t j = i + 1; j < counts.size(); ++j)
      for (std::size_t a = 0; a < counts[i]; ++a)
        for (std::size_t b = 0; b < counts[j]; ++b) pairs.insert({i, a, j, b});
  return pairs;
}

void remove_covered(std::set<Pair>& open, const Choice& choice) {
  std::erase_if(open, [&](const Pair& pair) {
    const auto [i, a, j, b] = pair;
    return choice[i] == a && choice[j] == b;
  });
}

// The value of `option` that meets most open pairs with what is chosen already.
std::size_t best_value(const std::set<Pair>& open, const Choice& choice, const std::vector<bool>& chosen,
                       std::size_t option, std::size_t count) {
  std::vector<std::size_t> met(count);
  for (const auto& [i, a, j, b] : open) {
    if (i == option && chosen[j] && choice[j] == b) ++met[a];
    if (j == option && chosen[i] && choice[i] == a) ++met[b];
  }
  std::size_t best = 0;
  for (std::size_t value = 1; value < count; ++value)
    if (met[value] > met[best]) best = value;
  return best;
}

}  // namespace

std::vector<Choice> covering_array(const Choice& counts) {
  std::set<Pair> open = all_pairs(counts);
  std::vector<Choice> rows{Choice(counts.size(), 0)};
  remove_covered(open, rows.front());
  while (!open.empty()) {
    const auto [i, a, j, b] = *open.begin();
    Choice choice(counts.size(), 0);
    std::vector<bool> chosen(counts.size(), false);
    choice[i] = a, choice[j] = b;
    chosen[i] = chosen[j] = true;
    for (std::size_t option = 0; option < counts.size(); ++option) {
      if (chosen[option]) continue;
      choice[option] = best_value(open, choice, chosen, option, counts[option]);
      chosen[option] = true;
    }
    remove_covered(open, choice);
    rows.push_back(std::move(choice));
  }
  // With fewer than two options there are no pairs: each value once.
  if (counts.size() == 1)
    for (std::size_t value = 1; value < counts.front(); ++value) rows.push_back({value});
  return rows;
}

}  // namespace convlens::testing

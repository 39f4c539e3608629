#include "tests/support/option_cover.h"

#include <algorithm>

#include "tests/support/rows.h"

namespace convlens::testing {

namespace {

struct Pair {
  std::string option, value, other_option, other_value;
  bool in(const OptionSet& set) const { return set.is(option, value) && set.is(other_option, other_value); }
};

std::vector<Pair> all_pairs(const std::vector<Option>& options) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < options.size(); ++i)
    for (std::size_t j = i + 1; j < options.size(); ++j)
      for (const std::string& a : values_of(options[i]))
        for (const std::string& b : values_of(options[j])) pairs.push_back({options[i].id, a, options[j].id, b});
  return pairs;
}

}  // namespace

std::vector<OptionSet> option_cover(const Algorithm& row, Request request) {
  std::vector<OptionSet> cover;
  if (row.options.size() < 2) {  // no pairs, so every value
    for (const Variant& variant : variants(row)) {
      request.options = variant.options;
      if (row.supports(request).ok) cover.push_back(variant.options);
    }
    return cover;
  }
  std::vector<Pair> missing = all_pairs(row.options);
  const auto gain = [&](const OptionSet& set) {
    return std::ranges::count_if(missing, [&](const Pair& pair) { return pair.in(set); });
  };
  while (!missing.empty()) {
    const Pair first = missing.back();
    request.options = OptionSet::parse("", row.options);
    request.options.set(first.option, first.value);
    request.options.set(first.other_option, first.other_value);
    if (!row.supports(request).ok) {
      missing.pop_back();
      continue;
    }
    for (const Option& option : row.options) {
      if (option.id == first.option || option.id == first.other_option) continue;
      OptionSet best = request.options;
      for (const std::string& value : values_of(option)) {
        Request changed = request;
        changed.options.set(option.id, value);
        if (gain(changed.options) > gain(best) && row.supports(changed).ok) best = changed.options;
      }
      request.options = best;
    }
    std::erase_if(missing, [&](const Pair& pair) { return pair.in(request.options); });
    cover.push_back(request.options);
  }
  return cover;
}

std::vector<OptionSet> option_product(const Algorithm& row, Request request) {
  std::vector<OptionSet> product{OptionSet::parse("", row.options)};
  for (const Option& option : row.options) {
    std::vector<OptionSet> wider;
    for (OptionSet set : product)
      for (const std::string& value : values_of(option)) {
        set.set(option.id, value);
        wider.push_back(set);
      }
    product = std::move(wider);
  }
  std::erase_if(product, [&](const OptionSet& set) {
    request.options = set;
    return !row.supports(request).ok;
  });
  return product;
}

}  // namespace convlens::testing

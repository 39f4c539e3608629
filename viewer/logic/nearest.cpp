#include "viewer/logic/nearest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/error.h"
#include "viewer/logic/layer_sizes.h"

namespace convlens::viewer {

namespace {

// Called with every changed request until it answers true.
using Try = std::function<bool(const Request&)>;

constexpr std::int64_t kNear = 16;  // sizes up to so far away are tried one by one: a multiple of 16 is among them

bool try_options(const Algorithm& row, const Request& request, const Try& works) {
  for (const Option& option : row.options) {
    std::vector<std::string> values = option.values;
    if (values.empty()) values = {option.default_value};
    for (std::int64_t k = 1; option.accepts && k <= kNear; ++k)
      if (option.accepts(std::to_string(k)).empty()) values.push_back(std::to_string(k));
    for (const std::string& value : values) {
      Request changed = request;
      changed.options.set(option.id, value);
      if (changed.options != request.options && works(changed)) return true;
    }
  }
  return false;
}

// One tensor's, or those of all three that keep channels first or last.
bool try_layouts(const Request& request, const Try& works) {
  std::vector<Layouts> all;
  const Layouts& now = request.layouts;
  for (const Layout layout : kLayouts) all.insert(all.end(), {{layout, now.w, now.y}, {now.x, now.w, layout}});
  for (const FilterLayout w : kFilterLayouts) all.push_back({now.x, w, now.y});
  for (const Layout layout : kLayouts)
    for (const FilterLayout w : kFilterLayouts) all.push_back({layout, w, layout});
  return std::ranges::any_of(all, [&](const Layouts& layouts) {
    Request changed = request;
    changed.layouts = layouts;
    return layouts != now && works(changed);
  });
}

bool try_types(const Request& request, const Try& works) {
  return std::ranges::any_of(kDTypes, [&](DType dtype) {
    Request changed = request;
    changed.dtype = dtype;
    return dtype != request.dtype && works(changed);
  });
}

// Values beside `now`, the nearest first; and halves, so that what is far too large comes down.
std::vector<std::int64_t> values_near(std::int64_t now) {
  std::set<std::int64_t> values{0, 1};
  for (std::int64_t k = 1; k <= kNear; ++k) values.insert({now + k, now - k});
  for (std::int64_t half = now; half > 0; half /= 2) values.insert(half);
  values.erase(now);
  std::erase_if(values, [](std::int64_t value) { return value < 0; });
  std::vector<std::int64_t> nearest(values.begin(), values.end());
  std::ranges::stable_sort(nearest, {}, [&](std::int64_t value) { return std::abs(value - now); });
  return nearest;
}

using Sizes = std::vector<std::int64_t ConvSpec::*>;

// What is changed together: each size alone, then those of both axes or of opposite sides.
const std::vector<Sizes>& size_groups() {
  static const std::vector<Sizes> all = [] {
    std::vector<Sizes> groups;
    for (const LayerSize& size : kLayerSizes) groups.push_back({size.member});
    groups.insert(groups.end(), {{&ConvSpec::stride_h, &ConvSpec::stride_w},
                                 {&ConvSpec::dilation_h, &ConvSpec::dilation_w},
                                 {&ConvSpec::hf, &ConvSpec::wf},
                                 {&ConvSpec::hi, &ConvSpec::wi},
                                 {&ConvSpec::ci, &ConvSpec::co},
                                 {&ConvSpec::pad_top, &ConvSpec::pad_bottom},
                                 {&ConvSpec::pad_left, &ConvSpec::pad_right}});
    return groups;
  }();
  return all;
}

bool try_sizes(const Request& request, const Try& works) {
  for (const Sizes& group : size_groups())
    for (const std::int64_t value : values_near(request.problem.spec().*group.front())) {
      ConvSpec spec = request.problem.spec();
      for (const auto member : group) spec.*member = value;
      if (spec.n == 0 || spec == request.problem.spec() || !broken_rules(spec).empty()) continue;
      Request changed = request;
      try {
        changed.problem = ConvProblem(spec);
      } catch (const Unsupported&) {
        continue;  // too large for 64 bits
      }
      if (works(changed)) return true;
    }
  return false;
}

// What the rules suggest one after the other, as far as they do: where the last of them knows of nothing, the request
// with which it is alone.
Request followed(const Algorithm& row, Request request) {
  for (std::size_t k = 0; k < row.rules.size(); ++k)
    for (const Rule& rule : row.rules)
      if (const auto refusal = rule.refuse(request)) {
        if (!refusal->nearest) return request;
        request = complete(row, *refusal->nearest);
        break;
      }
  return request;
}

bool try_single(const Algorithm& row, const Request& request, const Try& works) {
  return try_options(row, request, works) || try_layouts(request, works) || try_types(request, works) ||
         try_sizes(request, works);
}

bool try_pairs(const Algorithm& row, const Request& request, const Try& works) {
  const auto types = [&](const Request& changed) { return try_types(changed, works); };
  const auto layouts_and_types = [&](const Request& changed) { return try_layouts(changed, works) || types(changed); };
  return try_options(row, request, layouts_and_types) || try_layouts(request, types);
}

}  // namespace

std::optional<Request> nearest_request(const Algorithm& row, const Request& request,
                                       const std::function<bool()>& stop) {
  const Request asked = complete(row, request);
  const Support support = row.supports(asked);
  if (support || support.nearest) return support.nearest;
  if (row.missing && !row.missing().empty()) return std::nullopt;  // no request runs here
  std::optional<Request> found;
  const Try runs = [&](const Request& changed) {
    if (stop()) return true;
    if (row.supports(changed)) found = changed;
    return found.has_value();
  };
  const Try runs_by_rules = [&](const Request& changed) {
    if (stop()) return true;
    const Support now = row.supports(changed);
    found = now ? std::optional(changed) : now.nearest;
    return found.has_value();
  };
  const Request by_rules = followed(row, asked);
  try_single(row, asked, runs) || try_single(row, by_rules, runs) || try_pairs(row, by_rules, runs) ||
      try_single(row, asked, runs_by_rules);
  return found;
}

std::string change_text(const Request& from, const Request& to) {
  std::vector<std::string> changes;
  const auto add = [&](const std::string& what, const std::string& before) {
    changes.push_back(what + " instead of " + before);
  };
  for (const LayerSize& size : kLayerSizes)
    if (const std::int64_t before = from.problem.spec().*size.member, after = to.problem.spec().*size.member;
        before != after)
      add(std::string(size.name) + " " + std::to_string(after), std::to_string(before));
  if (from.problem.bias() != to.problem.bias()) changes.push_back(to.problem.bias() ? "with bias" : "no bias");
  if (from.dtype != to.dtype) add(std::string(name(to.dtype)), std::string(name(from.dtype)));
  const auto layouts = [](const Layouts& l) {
    return std::string(name(l.x)) + "," + std::string(name(l.w)) + "," + std::string(name(l.y));
  };
  if (from.layouts != to.layouts) add(layouts(to.layouts), layouts(from.layouts));
  for (const auto& [id, value] : to.options.values())
    if (from.options[id] != value) add(id + "=" + value, from.options[id]);
  std::string text;
  for (const std::string& change : changes) text += (text.empty() ? "" : ", ") + change;
  return text;
}

}  // namespace convlens::viewer

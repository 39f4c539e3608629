// benchdnn's problem descriptor, as oneDNN's performance tool reads it (oneDNN, tests/benchdnn/doc/driver_conv.md and
// tests/benchdnn/conv/conv_aux.cpp):
//
//   g1mb2 ic3ih227iw227 oc96oh55ow55 kh11kw11 sh4sw4 ph0pw0 dh0dw0 n"name"      (without blanks; `_` may separate)
//
//   absent            means                      note
//   mb, g             2, 1                       ic and oc count all groups together
//   the whole w axis  the same as h              an axis that is given needs its i and k
//   the whole h axis  height 1                   a 1-D layer
//   s, d              1, 0                       dilation 0 is the dense filter, our 1
//   o                 what the rest makes
//   p                 0; with o, half of what o needs
//
// p pads both ends. Where the stated o needs more or less at the bottom or right, that end is padded to fit.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/problem/checked.h"
#include "algorithms/problem/parse_forms.h"
#include "algorithms/suggest.h"

namespace convlens {

namespace {

using Entries = std::map<std::string, std::int64_t, std::less<>>;

const std::vector<std::string> kKeys{"g",  "mb", "ic", "ih", "iw", "oc", "oh", "ow",
                                     "kh", "kw", "sh", "sw", "ph", "pw", "dh", "dw"};
const std::vector<std::string> kDepthKeys{"id", "od", "kd", "sd", "pd", "dd"};

bool holds(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Entries read_entries(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  Entries entries;
  while (!text.empty() && text.front() != 'n') {  // n begins a name, which reaches to the end
    if (text.front() == '_') {
      text.remove_prefix(1);
      continue;
    }
    const std::string key(text.substr(0, text.find_first_not_of(kLetters)));
    if (key.empty()) throw BadInput("layer: " + std::string(text) + ", must go on with an entry such as kh3");
    if (holds(kDepthKeys, key)) throw BadInput(key + ": given, must be absent from a 2-D layer");
    if (!holds(kKeys, key)) throw BadInput("layer: " + key + suggestion(key, kKeys));
    text.remove_prefix(key.size());

    const std::size_t end = std::min(text.find_first_of(kLetters), text.find('_'));
    if (!entries.emplace(key, parse_whole(key, text.substr(0, end))).second)
      throw BadInput(key + ": given twice, must be given once");
    text.remove_prefix(std::min(end, text.size()));
  }
  return entries;
}

std::int64_t needed(const Entries& entries, const std::string& key) {
  const auto found = entries.find(key);
  if (found == entries.end()) throw BadInput(key + ": missing, must be given");
  return found->second;
}

std::optional<std::int64_t> given(const Entries& entries, const std::string& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? std::nullopt : std::optional(found->second);
}

// One axis of a layer.
struct Axis {
  std::int64_t size = 1, filter = 1, stride = 1, dilation = 1, before = 0, after = 0;
};

// How many outputs ConvProblem makes of the axis; nothing when it breaks a rule.
std::optional<std::int64_t> outputs(const Axis& a) {
  const ConvSpec column{.hi = a.size,
                        .hf = a.filter,
                        .stride_h = a.stride,
                        .pad_top = a.before,
                        .pad_bottom = a.after,
                        .dilation_h = a.dilation};
  if (!broken_rules(column).empty()) return std::nullopt;
  return ConvProblem(column).ho();
}

// Pads the axis so that it makes `stated` outputs.
void fit_padding(Axis& a, bool padding_given, const std::string& key, std::int64_t stated) {
  if (stated < 1) throw BadInput(key + ": " + std::to_string(stated) + ", must be ≥ 1");
  // ConvProblem says which rule this breaks.
  if (std::min({a.size, a.filter, a.stride, a.dilation}) < 1 || a.before < 0) return;

  // (o − 1)·s + d·(k − 1) + 1 elements are read, `lacking` more than there are.
  const char* const what = "the input that the stated output reads";
  const std::int64_t lacking = checked::sum(what, {checked::product(what, {stated - 1, a.stride}),
                                                   checked::product(what, {a.dilation, a.filter - 1}), 1, -a.size});
  if (!padding_given) {
    if (lacking / 2 < 0)
      throw BadInput(key + ": " + std::to_string(stated) + ", leaves " + std::to_string(-lacking) +
                     " elements unread, must come with p" + key.back());
    a.before = a.after = lacking / 2;
  }
  if (outputs(a) == stated) return;
  a.after = std::max<std::int64_t>(0, lacking - a.before);
  const std::optional<std::int64_t> made = outputs(a);
  if (made != stated)
    throw BadInput(key + ": " + std::to_string(stated) + ", must be " + std::to_string(made.value_or(0)) +
                   ", which is what the other entries make");
}

Axis read_axis(const Entries& entries, const std::string& axis) {
  Axis a;
  a.size = needed(entries, "i" + axis);
  a.filter = needed(entries, "k" + axis);
  a.stride = given(entries, "s" + axis).value_or(1);
  const std::int64_t gaps = given(entries, "d" + axis).value_or(0);  // one less than our dilation, and so is its rule
  if (gaps < 0) throw BadInput("d" + axis + ": " + std::to_string(gaps) + ", must be ≥ 0");
  a.dilation = checked::sum("dilation", {gaps, 1});
  const std::optional<std::int64_t> padding = given(entries, "p" + axis), stated = given(entries, "o" + axis);
  a.before = a.after = padding.value_or(0);
  if (stated) fit_padding(a, padding.has_value(), "o" + axis, *stated);
  return a;
}

bool has_axis(const Entries& entries, char axis) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first.back() == axis; });
}

}  // namespace

ConvSpec parse_benchdnn(std::string_view text) {
  const Entries entries = read_entries(text);
  const bool width_alone = has_axis(entries, 'w') && !has_axis(entries, 'h');
  const Axis h = width_alone ? Axis{} : read_axis(entries, "h");
  const Axis w = has_axis(entries, 'w') ? read_axis(entries, "w") : h;

  ConvSpec spec;
  spec.n = given(entries, "mb").value_or(2);
  spec.ci = needed(entries, "ic");
  spec.co = needed(entries, "oc");
  spec.groups = given(entries, "g").value_or(1);
  spec.hi = h.size, spec.wi = w.size;
  spec.hf = h.filter, spec.wf = w.filter;
  spec.stride_h = h.stride, spec.stride_w = w.stride;
  spec.pad_top = h.before, spec.pad_bottom = h.after;
  spec.pad_left = w.before, spec.pad_right = w.after;
  spec.dilation_h = h.dilation, spec.dilation_w = w.dilation;
  return spec;
}

}  // namespace convlens

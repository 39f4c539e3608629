#include "algorithms/problem/parse.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <set>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/problem/parse_forms.h"
#include "algorithms/suggest.h"

namespace convlens {

namespace {

const std::vector<std::string> kFlags{"--filter", "--stride", "--pad", "--dilation", "--groups", "--bias"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r\n";
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

// "2×3" or "2X3" as "2x3".
std::string with_plain_crosses(std::string_view text) {
  constexpr std::string_view kTimes = "×";
  std::string plain;
  while (!text.empty()) {
    const bool times = text.starts_with(kTimes);
    plain += times || text.front() == 'X' ? 'x' : text.front();
    text.remove_prefix(times ? kTimes.size() : 1);
  }
  return plain;
}

// "2x3" as numbers; there must be one of `counts` of them, as `form` says in words.
std::vector<std::int64_t> numbers(const std::string& parameter, std::string_view text,
                                  std::initializer_list<std::size_t> counts, const char* form) {
  std::vector<std::int64_t> values;
  const std::string plain = with_plain_crosses(text);
  const bool one = plain.find('x') == std::string::npos;
  for (std::string_view rest = plain;;) {
    const std::size_t cross = rest.find('x');
    values.push_back(parse_whole(one ? parameter : parameter + " " + std::string(text), rest.substr(0, cross)));
    if (cross == std::string_view::npos) break;
    rest.remove_prefix(cross + 1);
  }
  for (std::size_t count : counts)
    if (values.size() == count) return values;
  throw BadInput(parameter + ": " + std::string(text) + ", must be " + form);
}

void set_input(ConvSpec& spec, std::string_view text) {
  const auto v = numbers("input", text, {4}, "N×C_i×H_i×W_i, as in 128x64x56x56");
  spec.n = v[0], spec.ci = v[1], spec.hi = v[2], spec.wi = v[3];
}

void set_padding(ConvSpec& spec, std::string_view text) {
  const auto v = numbers("--pad", text, {1, 2, 4}, "one number, height×width or top×bottom×left×right");
  spec.pad_top = v.front();
  spec.pad_bottom = v.size() == 4 ? v[1] : v.front();
  spec.pad_left = v.size() == 4 ? v[2] : v.back();
  spec.pad_right = v.back();
}

void set_flag(ConvSpec& spec, const std::string& flag, std::string_view text) {
  constexpr auto kPerAxis = "one number or height×width";
  if (flag == "--filter") {
    const auto v = numbers(flag, text, {3}, "C_o×H_f×W_f, as in 64x3x3");
    spec.co = v[0], spec.hf = v[1], spec.wf = v[2];
  } else if (flag == "--stride") {
    const auto v = numbers(flag, text, {1, 2}, kPerAxis);
    spec.stride_h = v.front(), spec.stride_w = v.back();
  } else if (flag == "--dilation") {
    const auto v = numbers(flag, text, {1, 2}, kPerAxis);
    spec.dilation_h = v.front(), spec.dilation_w = v.back();
  } else if (flag == "--groups") {
    spec.groups = numbers(flag, text, {1}, "one number").front();
  } else {
    set_padding(spec, text);
  }
}

// "2", or "2x1" where height and width differ.
std::string per_axis(std::int64_t h, std::int64_t w) {
  return h == w ? std::to_string(h) : std::to_string(h) + "x" + std::to_string(w);
}

std::string joined(std::initializer_list<std::int64_t> values) {
  std::string text;
  for (std::int64_t value : values) text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}

}  // namespace

std::int64_t parse_whole(const std::string& parameter, std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  const std::string shown = text.empty() ? "\"\"" : std::string(text);
  if (error == std::errc::result_out_of_range && stopped == end)
    throw BadInput(parameter + ": " + shown + ", must be " +
                   (text.front() == '-' ? "≥ -9223372036854775808" : "≤ 9223372036854775807"));
  if (error != std::errc{} || stopped != end) throw BadInput(parameter + ": " + shown + ", must be a whole number");
  return value;
}

ConvSpec parse_flags(std::string_view text) {
  ConvSpec spec;
  bool input = false;
  std::set<std::string, std::less<>> seen;
  const std::vector<std::string_view> words = words_of(text);
  for (auto word = words.begin(); word != words.end(); ++word) {
    const bool is_flag = word->size() > 1 && word->front() == '-' && !is_digit((*word)[1]);
    if (!is_flag) {
      if (input && word != words.begin() && *(word - 1) == "--bias")
        throw BadInput("--bias: " + std::string(*word) + ", must have no value");
      if (input) throw BadInput("input: " + std::string(*word) + ", must be given once");
      set_input(spec, *word);
      input = true;
      continue;
    }
    const std::size_t equals = word->find('=');
    const std::string flag(word->substr(0, equals));
    if (std::find(kFlags.begin(), kFlags.end(), flag) == kFlags.end())
      throw BadInput("layer: " + flag + suggestion(flag, kFlags));
    if (!seen.insert(flag).second) throw BadInput(flag + ": given twice, must be given once");
    if (flag == "--bias") {
      if (equals != std::string_view::npos) throw BadInput("--bias: " + std::string(*word) + ", must have no value");
      spec.bias = true;
    } else if (equals != std::string_view::npos) {
      set_flag(spec, flag, word->substr(equals + 1));
    } else {
      if (word + 1 == words.end()) throw BadInput(flag + ": nothing follows, must have a value");
      set_flag(spec, flag, *++word);
    }
  }
  if (!input) throw BadInput("input: missing, must be N×C_i×H_i×W_i, as in 128x64x56x56");
  if (!seen.contains("--filter")) throw BadInput("--filter: missing, must be C_o×H_f×W_f, as in 64x3x3");
  return spec;
}

ConvSpec parse_spec(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    throw BadInput("layer: empty, must be like \"128x64x56x56 --filter 64x3x3\" or \"mb128ic64ih56oc64kh3\"");
  text.remove_prefix(first);
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const bool benchdnn = std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  if (const std::size_t option = text.find(" --"); benchdnn && option != std::string_view::npos)
    throw BadInput("layer: " + std::string(text.substr(option + 1)) +
                   ", must be left out: a benchdnn string takes no further options");
  return benchdnn ? parse_benchdnn(text) : parse_flags(text);
}

std::string to_text(const ConvSpec& s) {
  std::string text = joined({s.n, s.ci, s.hi, s.wi}) + " --filter " + joined({s.co, s.hf, s.wf});
  if (s.stride_h != 1 || s.stride_w != 1) text += " --stride " + per_axis(s.stride_h, s.stride_w);
  if (s.pad_top != s.pad_bottom || s.pad_left != s.pad_right)
    text += " --pad " + joined({s.pad_top, s.pad_bottom, s.pad_left, s.pad_right});
  else if (s.pad_top != 0 || s.pad_left != 0)
    text += " --pad " + per_axis(s.pad_top, s.pad_left);
  if (s.dilation_h != 1 || s.dilation_w != 1) text += " --dilation " + per_axis(s.dilation_h, s.dilation_w);
  if (s.groups != 1) text += " --groups " + std::to_string(s.groups);
  if (s.bias) text += " --bias";
  return text;
}

}  // namespace convlens

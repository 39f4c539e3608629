// What the model of choose.h knows of each run: reads the lines of rows.model, which is built in.
#include <algorithm>
#include <charconv>
#include <map>

#include "algorithms/embedded.h"
#include "algorithms/error.h"
#include "algorithms/measure/choose.h"

namespace convlens {

namespace {

double share(const std::string& line, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value > 0) return value;
  throw BadInput("rows.model, " + line + ": " + text + ", must be a number > 0");
}

// The words of a column, each with what it stands for; "any" stands for nothing in particular.
template <class Value>
std::optional<Value> one_of(const std::string& line, const std::string& word,
                            const std::map<std::string, Value>& meanings) {
  if (word == "any") return std::nullopt;
  const auto found = meanings.find(word);
  if (found == meanings.end()) throw BadInput("rows.model, " + line + ": " + word + ", not known in this column");
  return found->second;
}

// "onednn.direct:format=blocked  NHWC  dense  0.9  1.5"
RowModel parse_line(const std::string& line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  if (words.size() != 5) throw BadInput("rows.model, " + line + ": must be a run, layout, layers and two numbers");
  return {parse_run(words[0]),
          one_of<Layout>(line, words[1], {{"NCHW", Layout::NCHW}, {"NHWC", Layout::NHWC}, {"CHWN", Layout::CHWN}}),
          one_of<bool>(line, words[2], {{"depthwise", true}, {"dense", false}}), share(line, words[3]),
          share(line, words[4])};
}

}  // namespace

bool one_channel_a_group(const ConvProblem& p) { return p.groups() > 1 && p.ci_per_group() == 1; }

const std::vector<RowModel>& row_models() {
  static const std::vector<RowModel> models = [] {
    std::vector<RowModel> parsed;
    for (const EmbeddedFile& file : model_files())
      for (std::string_view rest = file.text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::string facts(line.substr(0, line.find('#')));
        if (!facts.empty()) parsed.push_back(parse_line(facts));
      }
    return parsed;
  }();
  return models;
}

bool RowModel::fits(const Request& request) const {
  return (!x || *x == request.layouts.x) && (!depthwise || *depthwise == one_channel_a_group(request.problem));
}

}  // namespace convlens

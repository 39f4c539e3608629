#include "cli/paper/contenders.h"

#include <algorithm>
#include <sstream>

#include "algorithms/embedded.h"
#include "algorithms/error.h"

namespace convlens {
const std::vector<EmbeddedFile>& contender_files();  // made by the build
}

namespace convlens::cli::paper {

namespace {

// "im2win.tc:paper  f16  NHWC  baseline"
Contender parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string run, type, layout, name;
  words >> run >> type >> layout;
  std::getline(words >> std::ws, name);
  const auto dtype = parse_dtype(type);
  if (name.empty() || !dtype || (layout != "NCHW" && layout != "NHWC"))
    throw BadInput("paper.contenders, " + line + ": must be a run, a type, NCHW or NHWC, and a name");
  return {name, run, *dtype, layout == "NCHW" ? Layout::NCHW : Layout::NHWC};
}

std::vector<Contender> read() {
  std::vector<Contender> all;
  for (const EmbeddedFile& file : contender_files()) {
    std::istringstream text{std::string(file.text)};
    for (std::string line; std::getline(text, line);)
      if (!line.empty() && line[0] != '#') all.push_back(parse_line(line));
  }
  return all;
}

template <class Keep>
std::vector<Contender> those(Keep&& keep) {
  std::vector<Contender> kept;
  std::ranges::copy_if(contenders(), std::back_inserter(kept), keep);
  return kept;
}

}  // namespace

bool is_cudnn(const Contender& c) { return c.run.starts_with("cudnn."); }

Layouts Contender::layouts() const {
  return {layout, layout == Layout::NHWC ? FilterLayout::OHWI : FilterLayout::OIHW, layout};
}

Request Contender::request(const Run& run, const ConvSpec& spec) const {
  return {ConvProblem(spec), dtype, layouts(), run.options, kGpu};
}

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> all = read();
  return all;
}

std::vector<Contender> ablation() {
  return those([](const Contender& c) { return c.name == "baseline" || c.name.starts_with("wo_"); });
}

std::vector<Contender> forced(Unit unit) {
  return those([&](const Contender& c) { return is_cudnn(c) && c.unit() == unit && c.run != "cudnn.best"; });
}

std::vector<Contender> all_of_cudnn(Unit unit) {
  return those([&](const Contender& c) { return is_cudnn(c) && c.unit() == unit; });
}

Resolved resolve(const Contender& contender) {
  try {
    return {parse_run(contender.run), {}};
  } catch (const BadInput& unknown) {
    return {{}, contender.run + ": " + unknown.what()};
  }
}

}  // namespace convlens::cli::paper

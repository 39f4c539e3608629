#include "viewer/logic/runs.h"

#include <set>

#include "algorithms/error.h"
#include "algorithms/interface/registry.h"

namespace convlens::viewer {

namespace {

std::string name_of(const std::string& text) {
  try {
    const Run run = parse_run(text);
    return run_name(*run.algorithm, run.options);
  } catch (const BadInput&) {
    return text;
  }
}

}  // namespace

std::vector<std::string> distinct_runs(const std::vector<std::string>& runs) {
  std::set<std::string> texts, names;
  std::vector<std::string> distinct;
  for (const std::string& run : runs)
    if (texts.insert(run).second && names.insert(name_of(run)).second) distinct.push_back(run);
  return distinct;
}

}  // namespace convlens::viewer

// What `convlens choose` says: rankings and their reasons, and how good two ways to choose are.
#pragma once

#include <string>
#include <vector>

#include "algorithms/measure/choose.h"
#include "cli/arguments.h"
#include "cli/table.h"

namespace convlens::cli {

// `ranked` holds at least one.
std::string ranking_text(const Layer& layer, const std::vector<Candidate>& ranked);
std::string ranking_json(const Layer& layer, const std::vector<Candidate>& ranked);  // one line

// Of an empty batch there is nothing to rank by.
std::string nothing_to_compute(const Layer& layer, const Request& request);

// "cv9, f32, NCHW,OIHW,NCHW: " and why there is nothing to choose from, with the least memory that would do.
std::string nothing_for(const Layer& layer, const Request& request, const Choice& choice);

// The regret of two choices: how much longer than the best what the model picks takes, and what was fastest in a first
// measurement; both in a second one, which knows nothing of the first.
class Comparison {
 public:
  // `ranked` by the second measurement.
  void add(const Layer& layer, const std::vector<Candidate>& ranked, const std::string& by_model,
           const std::string& by_measurement);
  int layers() const { return layers_; }
  std::string text() const;
  std::string json() const;

 private:
  Table table_{{{"layer"},
                {"the model's pick"},
                {"ms", true},
                {"regret", true},
                {"measured pick"},
                {"ms", true},
                {"regret", true},
                {"best"},
                {"ms", true}}};
  std::string json_;  // a line a layer
  int within_model_ = 0, within_measured_ = 0, layers_ = 0;
};

}  // namespace convlens::cli

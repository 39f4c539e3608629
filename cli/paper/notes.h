// What must be said under a figure: who is missing on which layers and why, and whose algorithm is another today.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/paper/results.h"

namespace convlens::cli::paper {

// The layers on which contenders have no record: refused, with the row's own sentence where it is one of this
// program's, or not measured.
class Gaps {
 public:
  explicit Gaps(const Results& results) : results_(results) {}

  void add(const std::string& contender);

  // "cuDNN FFT CC refused cv1, cv2"; nothing of one that was never measured, unless it was refused.
  std::vector<std::string> notes() const { return notes_; }

 private:
  // Why it has no record: a sentence, "" for one that nobody kept; nothing where it was not refused.
  std::optional<std::string> refusal(const Contender& contender, const std::string& layer) const;

  const Results& results_;
  std::vector<std::string> notes_;
};

// What the records were computed by where the row chooses something else today.
class Changes {
 public:
  void add(const std::string& layer, const Result& result);

  // "Winograd TC as recorded, not as it is chosen today: F(5×5,3×3) on cv6, cv8 (today F(3×3,3×3)); …"
  std::vector<std::string> notes() const;

 private:
  using Change = std::pair<std::string, std::string>;                         // then, today
  std::map<std::string, std::map<Change, std::vector<std::string>>> layers_;  // of a contender
};

}  // namespace convlens::cli::paper

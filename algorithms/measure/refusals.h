// Why requests were refused, how often, and which of the reasons tells most.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "algorithms/interface/algorithm.h"

namespace convlens {

class Refusals {
 public:
  void add(const Algorithm& row, const Request& request, const std::string& reason);

  void add(const Refusals& others);

  bool empty() const { return count_ == 0; }
  std::int64_t count() const { return count_; }
  std::map<std::string, std::int64_t> reasons() const;  // each, and how often

  // The reason that tells most, and how many others there are: one that is about the layer, the options or the memory
  // rather than about an element type that the row never computes; among those the most frequent, then the first.
  std::string line() const;

 private:
  struct Reason {
    std::int64_t times = 0, first = 0;  // the number of the refusal that it was first given for
    bool never = true;                  // each time the row computes no layer of that type at all
  };
  std::map<std::string, Reason> reasons_;
  std::int64_t count_ = 0;
};

}  // namespace convlens

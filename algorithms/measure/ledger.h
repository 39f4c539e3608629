// The byte ledger: every buffer that a run uses, by name, as it is really allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/measure/placed_buffer.h"

namespace convlens {

class Ledger {
 public:
  struct Line {
    std::string name;
    std::int64_t bytes = 0;
  };

  // Allocates memory and writes it down. Throws Unsupported when there is not so much.
  PlacedBuffer allocate(const std::string& name, std::int64_t bytes, Place place = {});

  // Allocates the workspace of `plan` in one piece, in the plan's place, and writes down each of its buffers.
  PlacedBuffer allocate_workspace(const Plan& plan);

  // Writes down tensors that exist already.
  void note(const std::string& name, std::int64_t bytes);

  const std::vector<Line>& lines() const { return lines_; }
  std::int64_t total() const;

 private:
  std::vector<Line> lines_;
};

// The bytes that move in and out of the workspace when all of it is written once and read once, every pass included.
std::int64_t workspace_traffic(const Plan& plan);

// What a run of `plan` needs by its formulas: x, w, bias, y and each buffer of the workspace.
std::vector<Ledger::Line> planned_bytes(const Plan& plan);

}  // namespace convlens

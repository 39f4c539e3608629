// A chosen row's plan for another batch, within a limit of memory.
#pragma once

#include <memory>
#include <string>

#include "viewer/logic/model.h"

namespace convlens::viewer {

struct Planned {
  std::shared_ptr<const Plan> plan;  // null where it does not fit
  std::string why;                   // it does not
};

// `limit`: bytes for tensors and workspace together.
Planned planned(const ChosenRow& row, std::int64_t batch, std::int64_t limit);

}  // namespace convlens::viewer

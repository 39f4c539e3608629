#include <cstdio>

#include "algorithms/interface/registry.h"

int main() {
  for (const auto* row : convlens::algorithms()) std::printf("%s\n", row->id.c_str());
}

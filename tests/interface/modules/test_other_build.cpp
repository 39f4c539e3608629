// A module that was compiled with another Algorithm than the library.
#include "algorithms/interface/module.h"

extern "C" const convlens::ModuleExports* convlens_module() {
  static const convlens::ModuleExports exports{.rows = {}, .sizes = {1, 2, 3, 4}};
  return &exports;
}

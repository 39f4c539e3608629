// The entry of the module convlens_viewer.so.
#include "algorithms/interface/module.h"
#include "viewer/viewer.h"

extern "C" const convlens::ModuleExports* convlens_module() {
  static const convlens::viewer::Services services{convlens::viewer::view};
  static const convlens::ModuleExports exports{.rows = {}, .services = &services};
  return &exports;
}

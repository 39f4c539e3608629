// A module with one row and one further service, the number 42.
#include "algorithms/interface/module.h"

namespace {

const convlens::Algorithm& row() {
  static const convlens::Algorithm only = [] {
    convlens::Algorithm named;
    named.id = "test.row";
    return named;
  }();
  return only;
}

}  // namespace

extern "C" const convlens::ModuleExports* convlens_module() {
  static const int service = 42;
  static const convlens::Algorithm* const rows[] = {&row()};
  static const convlens::ModuleExports exports{.rows = rows, .services = &service};
  return &exports;
}

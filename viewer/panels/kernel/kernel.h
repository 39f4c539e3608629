// The Kernel panel: the CUDA text of a row's kernel, which of its code the present options compile, what the compiler
// makes of it, and a place to change it. Its parts, one file each.
#pragma once

#include "viewer/logic/kernel_sheet.h"
#include "viewer/ui/scene.h"

namespace convlens::viewer {

// What one frame shows; either is null before it is there.
struct KernelFrame {
  const KernelSheet* sheet = nullptr;
  const Build* build = nullptr;
};

// Changes whenever the sheet may.
std::string kernel_key(const Scene& scene);

void draw_kernel_choices(Scene& scene, const KernelSheet& sheet);  // row, step, file, architecture
void draw_build(Scene& scene, const KernelFrame& frame);           // registers, spills, errors; check and time
void draw_source(Scene& scene, const KernelFrame& frame, float least_height);  // to read, or to edit

// Where the source is to be scrolled to next, such as a message's line; 0: nowhere.
struct SourceView {
  bool editing = false;
  std::int64_t wanted_line = 0;
  std::string of;  // which text was shown last
};

}  // namespace convlens::viewer

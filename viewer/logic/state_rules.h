// What of a state its own layer and rows make wrong: each field may be legal, and still point at nothing.
//
// The window shows such a state, with the rule in red, because it can be mended there. A command line or a state file
// that asks for a picture is refused: a picture of something else would not be what was asked for.
#pragma once

#include <string>
#include <vector>

#include "viewer/logic/model.h"

namespace convlens::viewer {

// "layer: cv9, must be \"\" for sizes that are not those of cv9", or "".
std::string wrong_layer(const State& state);

// "performance.run: drect, must be a row of …", "runs: winograd.ref:m=99, option m: 99, must be …", or "" for a run
// that there is, and for none.
std::string wrong_run(const std::string& field, const std::string& run);

// How many blocks compute the image that the cursor is on, by the first chosen row with a schedule; nothing without
// one.
std::optional<std::int64_t> scheduled_blocks(const State& state, const Model& model);

// "block: 999999, must be ≤ 95, the last of im2win.cc"; "" where it is that of a block, or the schedule is not on show.
std::string wrong_block(const State& state, const Model& model);

// All of it, one line each, the layer's own rules first.
std::vector<std::string> wrong_in(const State& state, const Model& model);

}  // namespace convlens::viewer

// What `convlens explain` says, as text for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "cli/arguments.h"

namespace convlens::cli {

// A plan: its sizes, FLOPs, bytes, stages, workspace and error model.
nlohmann::ordered_json plan_json(const Layer& layer, const Plan& plan);
std::string plan_text(const Layer& layer, const Plan& plan);

// What a row on a GPU does in one call: kernels with their files, grids and constants, and library calls.
// Of a plan with a program. A workspace that only cuDNN could tell is null, and said to be unknown.
nlohmann::ordered_json program_json(const Plan& plan);
std::string program_text(const Plan& plan);

// The stages that `--stage` can name: the plan's, and the input x itself, which every algorithm reads.
std::vector<Stage> stages_with_input(const Plan& plan);

// One cell of a stage: where it lies, what it is made of, where it goes on to, which outputs use it.
// Throws BadInput that names the axis, the value and the rule when `at` is not a cell of the stage.
nlohmann::ordered_json cell_json(const Plan& plan, const Stage& stage, const std::vector<std::int64_t>& at);
std::string cell_text(const nlohmann::ordered_json& cell);

// What an operand of a map is called: "x", "w" or the id of a stage.
std::string operand_name(const Plan& plan, Operand operand);

}  // namespace convlens::cli

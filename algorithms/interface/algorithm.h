// A row of the registry: one way to compute a convolution on one unit.
//
// To add one: write its file (say algorithms/im2win/im2win_ref.cpp), define its Algorithm there, and add one line to
// algorithms/interface/registry.cpp. The command line, the checks, the tests, the README's table and the viewer are
// all generated from the registry.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/plan.h"
#include "algorithms/interface/request.h"

namespace convlens {

enum class Unit : std::uint8_t { cpu, cc, tc };
std::string_view name(Unit unit);

// Why a rule refuses a request.
struct Refusal {
  std::string reason;              // "winograd needs stride 1, got 2x1"
  std::optional<Request> nearest;  // the smallest change that satisfies the rule
};

// One limit of an algorithm. `says` is what the README's table prints, and `refuse` is the same limit as code.
struct Rule {
  std::string says;  // "stride 1"
  std::function<std::optional<Refusal>(const Request&)> refuse;
};

// A set of options that has a name, as a paper's own choice has: "im2win.tc:paper" is that run, and in
// "im2win.tc:paper,zigzag=off" what follows has the last word.
struct NamedOptions {
  std::string name;      // "paper"
  std::string sentence;  // what it stands for
  std::string text;      // "tile=64x128,zigzag=on"; options left out take their defaults
};

struct Algorithm {
  std::string id;      // "im2win.ref": family, a dot, and which of its implementations
  std::string family;  // "im2win"
  Unit unit = Unit::cpu;
  std::string title;     // "im2win, readable reference"
  std::string sentence;  // what it does to the data
  std::string source;    // the paper
  std::vector<Option> options;
  std::vector<Rule> rules;
  std::function<Decisions(const Request&)> decide;

  // Why this build or machine cannot run the row at all ("built without KissFFT"), or "". Rows that cannot run are
  // still listed and explained.
  std::function<std::string()> missing = nullptr;

  // Another's library computes: one opaque stage of which only the bytes are known, dense views only, and no promise
  // about NaN and Inf or about equal bits with other threads.
  bool vendor = false;

  std::vector<NamedOptions> named_options = {};

  // The unit that computes tensors of `dtype`: `unit`; but a vendor's row on CUDA cores takes f16 and bf16 to tensor
  // cores, where its library can.
  Unit unit_for(DType dtype) const;

  // Whether this row computes the request within its memory limit; never allocates, never throws for a legal problem.
  Support supports(const Request& request) const;

  // Throws Unsupported with the reason, and the nearest request that would run, where `supports` says no.
  std::shared_ptr<const Plan> plan(const Request& request) const;
};

// The same request with the options it leaves out at the algorithm's defaults, in a place of the algorithm's unit: the
// host, or the device that `place` numbers.
Request complete(const Algorithm& algorithm, Request request);

// The options that `text` names, as in "id=value,id=value"; it may begin with one of the row's named sets. Throws
// BadInput that names the unknown option or value, with the closest one there is.
OptionSet parse_options(const Algorithm& algorithm, std::string_view text);

// The name that reproduces a run: "im2col.ref:batching=tile".
std::string run_name(const Algorithm& algorithm, const OptionSet& options);

}  // namespace convlens

// A kernel of a row on a GPU, ready to be read: its texts, which code of them the present options compile, what the
// compiler makes of them, and a row that runs the texts as they have been edited.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/interface/algorithm.h"
#include "kernels/program.h"
#include "viewer/logic/compiled_code.h"
#include "viewer/logic/model.h"
#include "viewer/logic/occupancy.h"

namespace convlens::viewer {

struct KernelSheet {
  std::string run;                   // of which row and options
  std::string refused;               // why there is no kernel to show, or ""
  std::vector<std::string> instead;  // where none of the chosen rows has one: the rows of their families that do
  std::string note;                  // what was changed so that there is one: "for f16: …"
  std::shared_ptr<const Plan> plan;
  std::vector<std::pair<std::int64_t, std::string>>
      launches;                            // steps of the call that are kernels, from 1: "im2win_cc"
  std::int64_t step = 0;                   // the one shown
  gpu::Launch launch;                      // with the texts that were edited
  std::vector<std::string> files;          // that its text is made of, its own first
  std::string file, text;                  // the one shown
  bool edited = false;                     // whether that is not the one that ships
  std::vector<Line> lines;                 // which of its code is compiled
  int decided = 0, undecided = 0;          // conditions, in all files
  std::vector<std::string> architectures;  // that it can be compiled for and launched on
  std::string architecture;                // the one chosen
};

// Whether it has kernels of its own: a row on the CPU has none, and a vendor's are not texts.
bool has_kernels(const Algorithm& row);

// The run whose kernels the panel shows: the one that the state names, or the first chosen one that has kernels, or "".
std::string kernel_run(const State& state);

// The runs whose kernels can be shown: those chosen that have kernels, then all other rows that do.
std::vector<std::string> kernel_runs(const State& state);

std::string architecture_here();  // of the first GPU, as kernels are compiled for it; sm_90a without any

// Never throws: what stands against it is in `refused`.
KernelSheet kernel_sheet(const State& state, const ConvProblem& problem);

// A line of the compiler's log that is about a line of a text, or, with line 0, about none: what ptxas says, or that
// the compiler died.
struct CompilerMessage {
  std::string file;
  std::int64_t line = 0;
  bool error = false;
  std::string text;  // at most its first 300 bytes

  bool operator==(const CompilerMessage&) const = default;
};
std::vector<CompilerMessage> compiler_messages(const std::string& log);  // those about lines
std::string message_at_no_line(const std::string& log);                  // where none of those is an error

struct Build {
  std::string why_not;    // why nothing was compiled, or ""
  bool failed = false;    // the text has errors
  bool recorded = false;  // the numbers are of a run on `recorded_on`, not of this text
  std::string recorded_on;
  std::vector<CompilerMessage> messages;
  std::int64_t registers = 0, shared_bytes = 0, spill_bytes = 0;  // shared: static and dynamic
  std::optional<Occupancy> occupancy;
};

// Compiles the sheet's kernel; needs the toolkit and no GPU. Where there is none, what was recorded of this run and
// layer, if it was. Gives up once `stop` is true.
Build build_of(const KernelSheet& sheet, const std::string& layer, const std::function<bool()>& stop = {});

// The recorded numbers alone: of the main kernel as it ships, for a named layer; nothing where there is no record.
std::optional<Build> recorded_build(const KernelSheet& sheet, const std::string& layer);

// The row with `texts` in place of the files of these names, in every kernel of its program.
Algorithm with_texts(const Algorithm& row, const std::map<std::string, std::string>& texts);

struct TrialLine {
  std::string text;
  bool wrong = false;  // a promise is broken, or something cannot be done
};

// What the compiler has against the kernels of the row with these texts: each error once, though several kernels may
// include the line, and how many it stops; the first four. Needs the toolkit and no GPU.
std::vector<TrialLine> errors_of_kernels(const Plan& plan, const std::string& architecture);

// Checks that row against the oracle on a piece of the layer, and times it on the layer, on the first GPU: one line
// each, or what keeps its kernels from being compiled. Where there is no GPU, the one line says why.
std::vector<TrialLine> try_on_device(const KernelSheet& sheet, const std::map<std::string, std::string>& texts);

// One's own kernel file, read whole. Throws BadInput when it cannot be.
std::string read_kernel_text(const std::string& file);

}  // namespace convlens::viewer

// The commands of `convlens`, one file each. A command adds itself to the parser and does its work in the callback; it
// reports trouble by throwing convlens::Error, which main turns into one line on stderr and an exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/error.h"
#include "cli/options.h"

namespace convlens::cli {

// The options that every command takes.
struct Globals {
  bool json = false;                         // results as JSON on stdout, one document or JSON Lines
  bool csv = false;                          // results as CSV on stdout
  std::optional<std::int64_t> memory_limit;  // bytes
  int threads = 0;                           // 0: all
  bool no_cache = false;                     // compiled kernels are neither read from disk nor kept there
};

void add_list(CLI::App& app, const Globals& globals);
void add_run(CLI::App& app, const Globals& globals);
void add_explain(CLI::App& app, const Globals& globals);
void add_check(CLI::App& app, const Globals& globals);
void add_bench(CLI::App& app, const Globals& globals);
void add_choose(CLI::App& app, const Globals& globals);
void add_windows(CLI::App& app, const Globals& globals);
void add_view(CLI::App& app, const Globals& globals);
void add_kernel(CLI::App& app, const Globals& globals);
void add_paper(CLI::App& app, const Globals& globals);
void add_worker(CLI::App& app, const Globals& globals);
void add_live(CLI::App& app, const Globals& globals);
void add_trace(CLI::App& app, const Globals& globals);

// True once Ctrl-C was pressed, or SIGTERM or SIGHUP has come (signals.h). Long work polls it, keeps what is done, and
// main exits with 130, or by that signal.
bool interrupted();

// Thrown to end the program with an exit code when everything has been said already.
struct Finished {
  Exit exit = Exit::ok;
};

}  // namespace convlens::cli

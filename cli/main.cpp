// The command `convlens`: reads the options that all commands share, runs one command, and turns whatever goes wrong
// into one line on stderr and an exit code (algorithms/error.h).
#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>

#include "algorithms/measure/machine.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "kernels/rows.h"
#include "kernels/runtime.h"

namespace convlens::cli {

namespace {

void set_signals() {
  hear_end_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of write, and temporary files are cleaned up
}

// A closed stdin, stdout or stderr would give its number to the next file or socket that is opened, which would then be
// taken for it. What takes its place here is empty to read, and refuses what is written.
void open_standard_streams() {
  while (true) {
    const int opened = open("/dev/null", O_RDONLY);
    if (opened > STDERR_FILENO) close(opened);
    if (opened > STDERR_FILENO || opened < 0) return;
  }
}

std::string version_text() {
  std::string text = "convlens " + version() + " (" + revision() + ")\n";
  for (const Library& library : libraries()) text += "  " + library.name + " " + library.version + "\n";
  return text + "  CLI11 " CLI11_VERSION;
}

// What --json writes: JSON Lines where there is something to say of each of many, as soon as it is there.
std::string json_sentence(const std::string& command) {
  const std::array lines{"run", "check", "bench", "choose", "live", "trace"};
  const std::array documents{"list", "explain", "kernel", "paper"};
  if (std::ranges::find(lines, command) != lines.end()) return "results as JSON Lines on stdout, one object a line";
  if (std::ranges::find(documents, command) != documents.end()) return "results as one JSON document on stdout";
  return "results as JSON on stdout, one document or JSON Lines, as the command's help says";
}

void add_globals(CLI::App& app, Globals& globals) {
  const std::string group = "Options of every command";
  app.add_flag("--json", globals.json, json_sentence(app.get_name()))->group(group);
  app.add_flag("--csv", globals.csv, "results as CSV on stdout")->group(group);
  app.add_option_function<std::string>(
         "--memory-limit", [&](const std::string& text) { globals.memory_limit = parse_size("--memory-limit", text); },
         "bytes that tensors and workspace of a run may take together, as in 8GiB")
      ->type_name("SIZE")
      ->group(group);
  app.add_option_function<std::string>(
         "--threads",
         [&](const std::string& text) {
           globals.threads = static_cast<int>(parse_integer("--threads", text, 1, 1024));
         },
         "threads to compute with; all of the machine's when left out")
      ->type_name("COUNT")
      ->group(group);
  app.add_flag("--no-cache", globals.no_cache, "compile GPU kernels anew, and keep none on disk")->group(group);
  app.set_help_flag("-h,--help", "this help")->group(group);
}

// The forms of output that a command does not have: not in its help, and refused.
struct Refused {
  const char *command, *option, *why;
};
constexpr std::array kRefused{Refused{"explain", "--csv", "explain has no table, must be --json"},
                              Refused{"choose", "--csv", "choose has a table a layer, must be --json"},
                              Refused{"paper", "--csv", "paper has many tables, must be --json"},
                              Refused{"view", "--json", "view draws a picture, must be left out"},
                              Refused{"view", "--csv", "view draws a picture, must be left out"},
                              Refused{"worker", "--json", "worker speaks a language of its own, must be left out"},
                              Refused{"worker", "--csv", "worker speaks a language of its own, must be left out"},
                              Refused{"live", "--csv", "live shows lines as they move, must be --json"},
                              Refused{"trace", "--csv", "trace has a list a block, must be --json"},
                              Refused{"windows", "--json", "windows draws a picture, must be left out"},
                              Refused{"windows", "--csv", "windows draws a picture, must be left out"}};

void refuse_outputs(const CLI::App& app, const Globals& globals) {
  for (const auto& [command, option, why] : kRefused) {
    const bool given = std::string_view(option) == "--csv" ? globals.csv : globals.json;
    if (given && app.got_subcommand(command)) throw BadInput(std::string(option) + ": " + why);
  }
}

// The help of the whole program opens with the first example of every command.
void show_first_examples(CLI::App& app) {
  std::vector<std::string> lines;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::istringstream footer(command->get_footer());
    std::string heading, first;
    std::getline(footer, heading);
    if (std::getline(footer, first)) lines.push_back(first.substr(2));
  }
  show_examples(app, lines);
}

Exit run(int argc, char** argv) {
  gpu::add_rows();
  CLI::App app(
      "Convlens, a lens on one operation: computes a 2-D convolution in several ways, shows what each does to the\n"
      "data in memory, checks them against each other and measures what they cost.",
      "convlens");
  Globals globals;
  app.formatter(std::make_shared<ExamplesFirst>());
  app.require_subcommand(0, 1);
  app.option_defaults()->disable_flag_override();  // no --json=false
  app.set_version_flag("--version", version_text)->description("version, revision and libraries");
  add_list(app, globals);
  add_run(app, globals);
  add_explain(app, globals);
  add_check(app, globals);
  add_bench(app, globals);
  add_choose(app, globals);
  add_windows(app, globals);
  add_view(app, globals);
  add_kernel(app, globals);
  add_paper(app, globals);
  add_worker(app, globals);
  add_live(app, globals);
  add_trace(app, globals);
  add_globals(app, globals);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) add_globals(*command, globals);
  for (const auto& [command, option, why] : kRefused) app.get_subcommand(command)->get_option(option)->group("");
  show_first_examples(app);

  app.parse_complete_callback([&] {
    if (globals.json && globals.csv) throw BadInput("--csv: given with --json, must be one of them");
    refuse_outputs(app, globals);
    if (globals.threads > 0) omp_set_num_threads(globals.threads);
    if (globals.no_cache && gpu::why_no_runtime().empty()) gpu::runtime().use_disk_cache(false);
  });
  refuse_empty({argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    print((used.empty() ? &app : used.front())->help(used.empty() ? "" : "convlens"));
    return Exit::ok;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return Exit::ok;
  } catch (const CLI::ParseError& error) {
    throw BadInput(explain(error, app));
  }
  if (app.get_subcommands().empty()) throw BadInput(no_command(app));
  return Exit::ok;
}

int guarded(int argc, char** argv) {
  try {
    const Exit exit = run(argc, argv);
    return ended(exit);
  } catch (const Finished& finished) {
    return ended(finished.exit);
  } catch (const Error& error) {
    say("convlens: " + printable(error.what(), {argv + 1, argv + argc}));
    return static_cast<int>(error.exit());
  } catch (const std::bad_alloc&) {
    say("convlens: memory: the system has no more");
    return static_cast<int>(Exit::unsupported);
  }
}

}  // namespace

}  // namespace convlens::cli

int main(int argc, char** argv) {
  convlens::cli::open_standard_streams();
  convlens::cli::set_signals();
  return convlens::cli::guarded(argc, argv);
}

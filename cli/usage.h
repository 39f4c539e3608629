// How the command line explains itself: `--help` with the examples first, and one line for whatever it can't parse.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace convlens::cli {

// Help in the order description, examples, usage, options.
class ExamplesFirst : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
};

// What the --help of a command opens with; each line is a whole call that really runs.
void show_examples(CLI::App& command, const std::vector<std::string>& lines);

// The parser's complaint as one line in the project's form, with the closest name for a misspelt command or option.
std::string explain(const CLI::ParseError& error, const CLI::App& app);

// Throws BadInput for an argument, or the value behind an option's `=`, that is empty: it would pass for one left out.
void refuse_empty(const std::vector<std::string>& arguments);

// The message of an error, with the control characters that `arguments` brought in escaped, as in \n and \x1b. Its own
// newlines, between broken rules, stay where no argument has any.
std::string printable(const std::string& message, const std::vector<std::string>& arguments);

// "command: none given, …", for a call without one.
std::string no_command(const CLI::App& app);

}  // namespace convlens::cli

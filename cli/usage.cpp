#include "cli/usage.h"

#include <algorithm>

#include "algorithms/error.h"
#include "algorithms/suggest.h"
#include "cli/command.h"

namespace convlens::cli {

void show_examples(CLI::App& command, const std::vector<std::string>& lines) {
  std::string text = "Examples:";
  for (const std::string& line : lines) text += "\n  " + line;
  command.footer(text);
}

std::string ExamplesFirst::make_description(const CLI::App* app) const {
  const std::string examples = app->get_footer();
  return app->get_description() + "\n\n" + (examples.empty() ? "" : examples + "\n\n");
}

std::string ExamplesFirst::make_footer(const CLI::App*) const { return ""; }

namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unexpected(const std::string& word, const CLI::App& app) {
  const std::vector<CLI::App*> used = app.get_subcommands();
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    const std::string meant = closest(name, option_names(used.empty() ? app : *used.front()));
    const std::string where = used.empty() ? "" : " of " + used.front()->get_name();
    return "option: " + name +
           (meant.empty() ? ", no option" + where + "; see --help" : ", did you mean \"" + meant + "\"?");
  }
  if (used.empty()) return "command: " + word + suggestion(word, command_names(app));
  return "argument: " + word + ", not expected by " + used.front()->get_name() + "; see --help";
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    if (const std::vector<std::string> words = app.remaining(true); !words.empty())
      return unexpected(words.front(), app);
  std::string line = error.what();
  std::ranges::replace(line, '\n', ' ');
  return line;
}

void refuse_empty(const std::vector<std::string>& arguments) {
  std::string before;
  for (const std::string& argument : arguments) {
    std::string empty;  // the name of what is
    if (argument.empty())
      empty = before.starts_with("-") && before != "--" ? before : "argument";
    else if (argument.starts_with("-") && argument.find('=') == argument.size() - 1)
      empty = argument.substr(0, argument.size() - 1);
    if (!empty.empty()) throw BadInput(empty + ": \"\", must not be empty");
    before = argument;
  }
}

std::string no_command(const CLI::App& app) {
  std::string list;
  for (const std::string& name : command_names(app)) list += (list.empty() ? "" : " | ") + name;
  return "command: none given, must be one of " + list + "; see --help";
}

}  // namespace convlens::cli

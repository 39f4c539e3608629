#include "cli/usage.h"

#include <algorithm>
#include <functional>
#include <string_view>

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
    const std::string of = used.empty() ? "" : " of " + used.front()->get_name();
    return "option: " + name +
           suggestion(name, option_names(used.empty() ? app : *used.front()), "an option" + of + ", see --help");
  }
  if (used.empty()) return "command: " + word + suggestion(word, command_names(app));
  return "argument: " + word + ", not expected by " + used.front()->get_name() + "; see --help";
}

const CLI::Option* find_option(const CLI::App& app, const std::function<bool(const CLI::Option&)>& fits) {
  for (const CLI::App* used : app.get_subcommands())
    if (const CLI::Option* option = find_option(*used, fits)) return option;
  for (const CLI::Option* option : app.get_options())
    if (fits(*option)) return option;
  return nullptr;
}

bool takes_one(const CLI::Option& option) { return option.get_items_expected_max() == 1; }

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    if (const std::vector<std::string> words = app.remaining(true); !words.empty())
      return unexpected(words.front(), app);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    if (const CLI::Option* missing =
            find_option(app, [](const CLI::Option& o) { return o.get_required() && o.count() == 0; }))
      return missing->get_name() + ": missing, must be given";
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const CLI::Option* repeated = find_option(app, [](const CLI::Option& o) { return takes_one(o) && o.count() > 1; });
    if (repeated != nullptr)
      return repeated->get_name() + ": given " + std::to_string(repeated->count()) + " times, must be given once";
    const std::string line = error.what();  // "--layer: 1 required NAME missing" or "json was given a …"
    const std::size_t end = line.find_first_of(": ");
    return line[end] == ':' ? line.substr(0, end) + ": nothing follows, must have a value"
                            : "--" + line.substr(0, end) + ": must have no value";
  }
  return error.what();
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

std::string printable(const std::string& message, const std::vector<std::string>& arguments) {
  const bool escape_newlines =
      std::ranges::any_of(arguments, [](const std::string& a) { return a.find('\n') != std::string::npos; });
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : message) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n' && !escape_newlines)
      text += c;
    else if (c == '\n' || c == '\r' || c == '\t')
      text += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    else if (code < 0x20 || code == 0x7f)
      text += std::string("\\x") + kDigits[code / 16] + kDigits[code % 16];
    else
      text += c;
  }
  return text;
}

std::string no_command(const CLI::App& app) {
  std::string list;
  for (const std::string& name : command_names(app)) list += (list.empty() ? "" : " | ") + name;
  return "command: none given, must be one of " + list + "; see --help";
}

}  // namespace convlens::cli

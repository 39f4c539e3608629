#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "algorithms/error.h"
#include "algorithms/suggest.h"
#include "cli/numbers.h"
#include "cli/usage.h"

namespace convlens::cli {

namespace {

Parameter typed(CLI::Option* option, const std::string& type) {
  if (!type.empty()) option->type_name(type);
  return Parameter(option);
}

}  // namespace

const Parameter& Parameter::group(const std::string& heading) const {
  option_->group(heading);
  return *this;
}

const Parameter& Parameter::once() const {
  option_->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  return *this;
}

const Parameter& Parameter::repeated() const {
  option_->allow_extra_args(false);
  return *this;
}

const Parameter& Parameter::required() const {
  option_->required();
  return *this;
}

Command::Command(CLI::App& app, const std::string& name, const std::string& sentence,
                 const std::vector<std::string>& examples)
    : app_(app.add_subcommand(name, sentence)) {
  show_examples(*app_, examples);
}

Parameter Command::text(const std::string& name, std::string& value, const std::string& type,
                        const std::string& sentence) {
  return typed(app_->add_option(name, value, sentence), type);
}

Parameter Command::text(const std::string& name, std::vector<std::string>& values, const std::string& type,
                        const std::string& sentence) {
  return typed(app_->add_option(name, values, sentence), type);
}

Parameter Command::text(const std::string& name, std::function<void(const std::string&)> take, const std::string& type,
                        const std::string& sentence) {
  return typed(app_->add_option_function<std::string>(name, std::move(take), sentence), type);
}

Parameter Command::one_of(const std::string& name, std::string& value, const std::vector<std::string>& names,
                          const std::string& sentence) {
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  const auto take = [name, &value, names](const std::string& text) {
    if (std::ranges::find(names, text) == names.end()) throw BadInput(name + ": " + text + suggestion(text, names));
    value = text;
  };
  return text(name, take, "NAME", sentence + ": " + all);
}

Parameter Command::integer(const std::string& name, std::int64_t least, std::int64_t most,
                           std::function<void(std::int64_t)> take, const std::string& sentence) {
  return text(
      name, [=](const std::string& text) { take(parse_integer(name, text, least, most)); }, "COUNT", sentence);
}

Parameter Command::number(const std::string& name, double least, double most, std::function<void(double)> take,
                          const std::string& sentence) {
  return text(
      name, [=](const std::string& text) { take(parse_number(name, text, least, most)); }, "NUMBER", sentence);
}

Parameter Command::flag(const std::string& name, bool& value, const std::string& sentence) {
  return Parameter(app_->add_flag(name, value, sentence));
}

Parameter Command::flag(const std::string& name, std::function<void()> take, const std::string& sentence) {
  return Parameter(app_->add_flag_callback(name, std::move(take), sentence));
}

void Command::run(std::function<void()> work) { app_->callback(std::move(work)); }

}  // namespace convlens::cli

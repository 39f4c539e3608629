// What a command takes: its options and arguments, told to the parser, CLI11.
//
// Only this header's .cpp, main and usage know CLI11, whose own header takes longer to compile than any command.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace convlens::cli {

// One option or argument of a command.
class Parameter {
 public:
  explicit Parameter(CLI::Option* option) : option_(option) {}
  const Parameter& group(const std::string& heading) const;  // of the help
  const Parameter& once() const;                             // given twice it is an error
  const Parameter& repeated() const;                         // one value each time, as often as one likes
  const Parameter& required() const;

 private:
  CLI::Option* option_;
};

// A command as the parser knows it. Names are "--seed", "-o,--output", or "LAYER" for an argument by its place; `type`
// is what the help shows for the value. The variables must live until the command has run.
class Command {
 public:
  // `examples` open the command's help; each is a whole call that really runs.
  Command(CLI::App& app, const std::string& name, const std::string& sentence,
          const std::vector<std::string>& examples);

  Parameter text(const std::string& name, std::string& value, const std::string& type, const std::string& sentence);
  Parameter text(const std::string& name, std::vector<std::string>& values, const std::string& type,
                 const std::string& sentence);
  Parameter text(const std::string& name, std::function<void(const std::string&)> take, const std::string& type,
                 const std::string& sentence);

  // One of `names`, which the help lists behind `sentence`.
  Parameter one_of(const std::string& name, std::string& value, const std::vector<std::string>& names,
                   const std::string& sentence);

  // A number in a range; anything else is BadInput.
  Parameter integer(const std::string& name, std::int64_t least, std::int64_t most,
                    std::function<void(std::int64_t)> take, const std::string& sentence);
  Parameter number(const std::string& name, double least, double most, std::function<void(double)> take,
                   const std::string& sentence);

  Parameter flag(const std::string& name, bool& value, const std::string& sentence);
  Parameter flag(const std::string& name, std::function<void()> take, const std::string& sentence);

  void run(std::function<void()> work);  // what the command does

 private:
  CLI::App* app_;
};

}  // namespace convlens::cli

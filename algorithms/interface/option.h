// Options are data: what can be switched in an algorithm, and a chosen set of values.
//
// A set is part of a run's name, `im2col.ref:batching=tile,gemm=loops`, and that string reproduces the run anywhere.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convlens {

struct Option {
  std::string id;
  std::string title;
  std::string sentence;             // what it does, in one sentence
  std::vector<std::string> values;  // what it can be; empty when it is free text that `accepts` judges
  std::string default_value;
  bool ablation = false;  // switched by the live view to show what the optimisation is worth

  // For free text: "" when `value` is fine, otherwise the rule, as in "must be an integer from 1 to 8".
  std::function<std::string(std::string_view value)> accepts = nullptr;
};

// A value for every option of one algorithm.
class OptionSet {
 public:
  OptionSet() = default;

  // `text` is "id=value,id=value", or empty; options not named take their defaults. A value of free text may hold
  // commas. Throws BadInput that names the unknown option or value, with the closest one there is.
  static OptionSet parse(std::string_view text, std::span<const Option> options);

  // Gives the options that `text` names, in the same form, other values.
  void change(std::string_view text, std::span<const Option> options);

  const std::string& operator[](std::string_view id) const;  // the option must exist
  bool is(std::string_view id, std::string_view value) const { return (*this)[id] == value; }
  long integer(std::string_view id) const;

  void set(const std::string& id, const std::string& value) { values_[id] = value; }
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }

  // What differs from the defaults, in the order of `options`: "batching=tile,gemm=loops", or "".
  std::string text(std::span<const Option> options) const;

  bool operator==(const OptionSet&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// For `Option::accepts`: an integer from `least` to `most`.
std::function<std::string(std::string_view)> integer_between(long least, long most);

}  // namespace convlens

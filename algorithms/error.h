// What can go wrong, and the exit code that each kind of failure means.
//
// Every message is one line that names the parameter, its value and the rule that it breaks, as in
// `stride_w: 0, must be ≥ 1`.
#pragma once

#include <stdexcept>
#include <string>

namespace convlens {

// The exit codes of every program of the project. This is the one place that defines them.
enum class Exit : int {
  ok = 0,
  check_failed = 1,
  bad_input = 2,    // usage, or a value that breaks a rule
  unsupported = 3,  // a combination no row computes, or more memory than there is
  no_device = 4,    // a device that was asked for by name is not there
  interrupted = 130,
};

class Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

// A parameter that breaks a rule: wrong usage, an illegal size, a file that can't be read.
struct BadInput : Error {
  explicit BadInput(const std::string& message) : Error(Exit::bad_input, message) {}
};

// A legal request that this row, this build or this much memory cannot serve.
struct Unsupported : Error {
  explicit Unsupported(const std::string& message) : Error(Exit::unsupported, message) {}
};

// A device that was asked for and is not there.
struct NoDevice : Error {
  explicit NoDevice(const std::string& message) : Error(Exit::no_device, message) {}
};

}  // namespace convlens

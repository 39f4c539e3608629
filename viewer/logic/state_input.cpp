#include "viewer/logic/state_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "algorithms/error.h"

namespace convlens::viewer {

namespace {

class Input {
 public:
  explicit Input(const std::string& source)
      : name_(source == "-" ? "standard input" : source),
        opened_(source != "-"),
        file_(opened_ ? open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO) {
    if (file_ < 0) refuse_unread();
  }
  ~Input() {
    if (opened_) close(file_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }

  std::string text() const {
    struct stat status {};
    if (fstat(file_, &status) != 0) refuse_unread();
    if (S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode))
      throw BadInput("state: " + name_ + ", must be a file or a pipe");
    if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > kMostStateBytes)
      refuse_size("has " + std::to_string(status.st_size) + " bytes");
    return all_bytes();
  }

 private:
  std::string all_bytes() const {
    std::string text;
    std::vector<char> some(std::size_t{1} << 16);
    while (true) {
      const ssize_t count = read(file_, some.data(), some.size());
      if (count < 0) refuse_unread();
      if (count == 0) return text;
      text.append(some.data(), static_cast<std::size_t>(count));
      if (text.size() > kMostStateBytes) refuse_size("has more");
    }
  }

  [[noreturn]] void refuse_unread() const {
    throw BadInput("state: " + name_ + ", cannot be read (" + std::generic_category().message(errno) + ")");
  }
  [[noreturn]] void refuse_size(const std::string& has) const {
    throw BadInput("state: " + name_ + ", " + has + ", must be at most " + std::to_string(kMostStateBytes) + " bytes");
  }

  std::string name_;
  bool opened_;  // rather than handed over
  int file_;
};

}  // namespace

// Names of files need not be UTF-8, as JSON must be.
std::string state_text(const State& state) {
  return to_json(state).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

State state_from_text(const std::string& text, const std::string& source) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded()) throw BadInput("state: " + source + ", must be JSON");
  return state_from_json(json);
}

State read_state_input(const std::string& source) {
  const Input input(source);
  return state_from_text(input.text(), input.name());
}

}  // namespace convlens::viewer

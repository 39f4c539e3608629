// The fields of a line of JSON that somebody else has written: each is there, and of the kind that is wanted, or is
// refused in one line that names it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convlens::worker {

class Fields {
 public:
  // `who` speaks this language, and begins every message: "worker". The JSON must outlive this.
  Fields(const nlohmann::ordered_json& json, std::string who) : json_(json), who_(std::move(who)) {}

  // Each throws BadInput, as in `worker: protocol: "two", must be a whole number`.
  bool has(const char* name) const { return json_.is_object() && json_.contains(name); }
  const nlohmann::ordered_json& any(const char* name) const;
  std::string text(const char* name) const;
  bool flag(const char* name) const;
  double number(const char* name) const;
  std::int64_t whole(const char* name) const;
  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most) const;
  std::uint64_t natural(const char* name) const;
  std::vector<double> numbers(const char* name) const;
  std::vector<std::int64_t> wholes(const char* name) const;
  Fields object(const char* name) const;  // its own are named "layout.x" in messages

  [[noreturn]] void refuse(const char* name, const std::string& rule) const;

 private:
  const nlohmann::ordered_json& json_;
  std::string who_, inside_ = {};
};

// The line as JSON. Throws BadInput that says where it stops being JSON, or that it is nested deeper than any message.
nlohmann::ordered_json parse_line(const std::string& line, const std::string& who);

}  // namespace convlens::worker

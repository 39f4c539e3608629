// A strict reader of CSV (RFC 4180), for what the command prints.
#pragma once

#include <string>
#include <vector>

namespace convlens {

inline std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  bool quoted = false, row_open = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!row_open) rows.push_back({""}), row_open = true;
    std::string& cell = rows.back().back();
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"')
      cell += '"', ++at;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      rows.back().emplace_back();
    else if (!quoted && c == '\n')
      row_open = false;
    else
      cell += c;
  }
  return rows;
}

}  // namespace convlens

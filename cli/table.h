// A table of texts: aligned for people, as CSV, as Markdown, or as HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convlens::cli {

class Table {
 public:
  struct Column {
    std::string title;    // for people
    bool number = false;  // set against the right edge
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }

  std::string text() const;
  std::string csv() const;
  std::string markdown() const;
  std::string html() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns of a terminal `text` takes: code points, without those that combine with the one before (W̃ takes
// one).
std::size_t width(std::string_view text);

// `text` as HTML and SVG have it: no character of it is markup.
std::string html_text(std::string_view text);

// One line of CSV (RFC 4180): quoted where a comma, quote or line break needs it.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace convlens::cli

#include "cli/table.h"

#include <algorithm>
#include <cassert>

namespace convlens::cli {

namespace {

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::size_t taken = width(text);
  const std::string space(to > taken ? to - taken : 0, ' ');
  return right ? space + text : text + space;
}

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace

std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    // U+0300 … U+036F, the combining marks: 0xcc 0x80 … 0xcd 0xaf.
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    const bool combining = lead == 0xcc || (lead == 0xcd && next <= 0xaf);
    if (!combining) ++columns;
    at += length;
  }
  return columns;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return escaped;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k > 0) line += ',';
    if (cells[k].find_first_of(",\"\r\n") == std::string::npos) {
      line += cells[k];
      continue;
    }
    line += '"';
    for (char c : cells[k]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    std::size_t widest = width(columns_[k].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[k]));
    widths.push_back(widest);
  }
  std::string text;
  const auto line = [&](auto&& cell) {
    std::string built;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      built += (k > 0 ? "  " : "") + padded(cell(k), widths[k], columns_[k].number);
    text += built.substr(0, built.find_last_not_of(' ') + 1) + "\n";
  };
  line([&](std::size_t k) { return columns_[k].title; });
  line([&](std::size_t k) {
    std::string rule;
    for (std::size_t i = 0; i < widths[k]; ++i) rule += "─";
    return rule;
  });
  for (const auto& row : rows_) line([&](std::size_t k) { return row[k]; });
  return text;
}

std::string Table::csv() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text = csv_line(titles);
  for (const auto& row : rows_) text += csv_line(row);
  return text;
}

std::string Table::markdown() const {
  std::string titles = "|", rule = "|", body;
  for (const Column& column : columns_) {
    titles += " " + column.title + " |";
    rule += column.number ? " ---: |" : " --- |";
  }
  for (const auto& row : rows_) {
    body += "|";
    for (const std::string& cell : row) body += " " + markdown_cell(cell) + " |";
    body += "\n";
  }
  return titles + "\n" + rule + "\n" + body;
}

std::string Table::html() const {
  const auto cell = [&](const std::string& tag, std::size_t k, const std::string& text) {
    return "<" + tag + (columns_[k].number ? " class=\"number\">" : ">") + html_text(text) + "</" + tag + ">";
  };
  std::string text = "<table>\n<tr>";
  for (std::size_t k = 0; k < columns_.size(); ++k) text += cell("th", k, columns_[k].title);
  for (const auto& row : rows_) {
    text += "</tr>\n<tr>";
    for (std::size_t k = 0; k < columns_.size(); ++k) text += cell("td", k, row[k]);
  }
  return text + "</tr>\n</table>\n";
}

}  // namespace convlens::cli

// The report of the paper's evaluation, rerun: as text, and as one HTML file with its figures inside.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/paper/claims.h"
#include "cli/paper/figures.h"
#include "cli/paper/ratios.h"
#include "cli/table.h"

namespace convlens::cli::paper {

struct Report {
  std::vector<std::string> about;  // on what, with what, how: a sentence each
  std::vector<Figure> figures;
  std::vector<BestOfLayer> table_2;
  std::vector<Ratio> ratios;
  std::vector<Claim> claims;
  std::vector<std::string> left_out;  // who was not measured, and why
};

// `left_out` has how often each reason was met.
Report make_report(const Results& results, const std::map<std::string, std::int64_t>& left_out);

std::string text(const Report& report);
std::string html(const Report& report);
nlohmann::ordered_json json(const Report& report);

// The tables of a report, the same in both.
Table table(const Figure& figure);
Table table(const std::vector<BestOfLayer>& rows);
Table table(const std::vector<Ratio>& rows);
Table table(const std::vector<Claim>& rows);

// Grouped bars, a group a layer and a bar a series, as an SVG element.
std::string svg_bars(const Figure& figure);

}  // namespace convlens::cli::paper

// The report for programs. What was not measured is null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/paper/report.h"

namespace convlens::cli::paper {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(number(value));
  return array;
}

}  // namespace

Json json(const Report& report) {
  Json document{{"about", report.about}};
  for (const Figure& figure : report.figures) {
    Json series = Json::array();
    for (const Series& s : figure.series)
      series.push_back({{"name", s.name}, {"best", numbers(s.best)}, {"median", numbers(s.median)}});
    document["figures"].push_back({{"title", figure.title},
                                   {"unit", figure.unit},
                                   {"caption", figure.caption},
                                   {"notes", figure.notes},
                                   {"layers", figure.layers},
                                   {"series", std::move(series)}});
  }
  for (const BestOfLayer& row : report.table_2)
    document["table_2"].push_back(
        {{"layer", row.layer}, {"cudnn_cc", row.cudnn_cc}, {"cudnn_tc", row.cudnn_tc}, {"im2win_tc", row.im2win_tc}});
  for (const Ratio& r : report.ratios)
    document["ratios"].push_back({{"of", r.of},
                                  {"paper", {number(r.paper_least), number(r.paper_most)}},
                                  {"best", number(r.best)},
                                  {"median", number(r.median)},
                                  {"least", number(r.least)},
                                  {"most", number(r.most)},
                                  {"verdict", r.verdict}});
  for (const Claim& claim : report.claims)
    document["claims"].push_back({{"says", claim.says}, {"verdict", claim.verdict}, {"decided", claim.decided}});
  document["left_out"] = report.left_out;
  return document;
}

}  // namespace convlens::cli::paper

#include "cli/check_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/problem/parse.h"
#include "cli/numbers.h"
#include "cli/table.h"

namespace convlens::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRefusals = 8;  // sentences shown without --verbose

const Verdict* find(const std::vector<Verdict>& verdicts, const std::string& promise) {
  const auto found = std::ranges::find(verdicts, promise, &Verdict::promise);
  return found == verdicts.end() ? nullptr : &*found;
}

// "y(0,3,1,2)", where the error came closest to the bound; "" without such a place.
std::string worst_place(const std::vector<Verdict>& verdicts) {
  const Verdict* worst = find(verdicts, "worst");
  if (worst == nullptr || !worst->made || !worst->at) return "";
  const Shape& at = *worst->at;
  return "y(" + std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]) + "," +
         std::to_string(at[3]) + ")";
}

bool counts(const Verdict& v) { return v.promise == "exact" || v.promise == "nonfinite"; }

// "ok", "3 wrong", "0.12", "8.1 ✗", or "–" for a promise that the row does not make.
std::string cell(const std::vector<Verdict>& verdicts, const std::string& promise) {
  const Verdict* v = find(verdicts, promise);
  if (v == nullptr || !v->made) return "–";
  if (counts(*v)) return v->kept ? "ok" : fixed(v->ratio, 0) + " wrong";
  return significant(v->ratio, 2) + (v->kept ? "" : " ✗");
}

// Whether `a` says something worse than `b`.
bool worse(const Verdict& a, const Verdict& b) {
  if (a.made != b.made) return a.made;
  if (a.kept != b.kept) return !a.kept;
  return !(a.ratio <= b.ratio);
}

}  // namespace

std::string check_json(const Layer& layer, const CheckResult& result) {
  const Request& r = result.request;
  Json verdicts = Json::object();
  for (const Verdict& v : result.verdicts) {
    Json verdict{{"made", v.made}};
    if (v.made) {
      verdict["kept"] = v.kept;
      verdict[counts(v) ? "wrong" : "ratio"] = v.ratio;
      verdict["at"] = v.at ? Json(*v.at) : Json(nullptr);
      verdict["got"] = v.at ? Json(v.got) : Json(nullptr);
      verdict["expected"] = v.at ? Json(v.expected) : Json(nullptr);
      verdict["bound"] = v.at ? Json(v.bound) : Json(nullptr);
    }
    verdicts[v.promise] = verdict;
  }
  const Json json{{"run", result.run},
                  {"layer", layer.name},
                  {"problem", to_text(r.problem.spec())},
                  {"dtype", name(r.dtype)},
                  {"layout", {{"x", name(r.layouts.x)}, {"w", name(r.layouts.w)}, {"y", name(r.layouts.y)}}},
                  {"seed", result.seed},
                  {"supported", result.supported},
                  {"reason", result.supported ? Json(nullptr) : Json(result.reason)},
                  {"passed", result.supported ? Json(result.passed()) : Json(nullptr)},
                  {"verdicts", verdicts},
                  {"reproduce", result.reproduce()}};
  return json.dump() + "\n";
}

std::string check_csv_header() {
  return csv_line({"run", "layer", "problem", "dtype", "layout_x", "layout_w", "layout_y", "seed", "supported",
                   "passed", "exact_wrong", "worst_ratio", "likely_ratio", "nonfinite_wrong", "worst_at", "reason"});
}

std::string check_csv(const Layer& layer, const CheckResult& result) {
  const Request& r = result.request;
  const auto ratio = [&](const std::string& promise) {
    const Verdict* v = find(result.verdicts, promise);
    return v == nullptr || !v->made ? "" : significant(v->ratio, 6);
  };
  return csv_line({result.run, layer.name, to_text(r.problem.spec()), std::string(name(r.dtype)),
                   std::string(name(r.layouts.x)), std::string(name(r.layouts.w)), std::string(name(r.layouts.y)),
                   std::to_string(result.seed), result.supported ? "yes" : "no",
                   !result.supported ? ""
                   : result.passed() ? "yes"
                                     : "no",
                   ratio("exact"), ratio("worst"), ratio("likely"), ratio("nonfinite"), worst_place(result.verdicts),
                   result.reason});
}

CheckReport::Row& CheckReport::row_of(const Layer& layer, const CheckResult& result) {
  Row row;
  row.run = rows_ == Rows::by_dtype ? result.run.substr(0, result.run.find(':')) : result.run;
  row.dtype = name(result.request.dtype);
  if (rows_ != Rows::by_dtype) row.layouts = cli::text(result.request.layouts);
  if (rows_ == Rows::each) row.layer = layer.text();
  const auto same = [&](const Row& r) {
    return r.run == row.run && r.dtype == row.dtype && r.layouts == row.layouts && r.layer == row.layer;
  };
  const auto found = std::ranges::find_if(table_, same);
  return found != table_.end() ? *found : table_.emplace_back(std::move(row));
}

void CheckReport::add(const Layer& layer, const Algorithm& algorithm, const CheckResult& result) {
  if (!result.supported) return refusals_.add(algorithm, result.request, result.reason);
  ++(result.passed() ? passed_ : failed_);
  Row& row = row_of(layer, result);
  ++row.checks;
  for (const Verdict& verdict : result.verdicts) {
    const auto known = std::ranges::find(row.worst, verdict.promise, &Verdict::promise);
    if (known != row.worst.end() && !worse(verdict, *known)) continue;
    if (verdict.promise == "worst") row.worst_layer = layer.text();
    if (known == row.worst.end())
      row.worst.push_back(verdict);
    else
      *known = verdict;
  }
}

void CheckReport::add_failure(const CheckResult& failed, const CheckResult& shrunk) {
  std::string text = failed.run + " " + std::string(name(failed.request.dtype)) + " on " +
                     to_text(failed.request.problem.spec()) + " failed\n";
  for (const Verdict& verdict : failed.verdicts)
    if (!verdict.kept) text += "  " + verdict.line() + "\n";
  if (shrunk.request.problem == failed.request.problem)
    text += "  reproduce: " + failed.reproduce() + "\n";
  else
    text += "  reproduce, shrunk: " + shrunk.reproduce() + "\n  as found:          " + failed.reproduce() + "\n";
  failures_.push_back(text);
}

std::string CheckReport::text(bool verbose) const {
  std::vector<Table::Column> columns{{"algorithm"}, {"type"}};
  if (rows_ != Rows::by_dtype) columns.push_back({"layouts"});
  if (rows_ == Rows::each)
    columns.push_back({"layer"});
  else
    columns.push_back({"checks", true});
  for (const char* title : {"exact", "error/bound", "error/likely", "NaN, Inf"}) columns.push_back({title, true});
  columns.push_back({"largest error/bound at"});

  std::vector<Row> rows = table_;  // the options of an algorithm together, whatever order they were checked in
  std::vector<std::string> runs;
  for (const Row& row : rows)
    if (std::ranges::find(runs, row.run) == runs.end()) runs.push_back(row.run);
  std::ranges::stable_sort(rows, {}, [&](const Row& row) { return std::ranges::find(runs, row.run) - runs.begin(); });

  const bool one_layer =
      std::ranges::all_of(rows, [&](const Row& row) { return row.worst_layer == rows.front().worst_layer; });
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.run, row.dtype};
    if (rows_ != Rows::by_dtype) cells.push_back(row.layouts);
    cells.push_back(rows_ == Rows::each ? row.layer : std::to_string(row.checks));
    for (const char* promise : {"exact", "worst", "likely", "nonfinite"}) cells.push_back(cell(row.worst, promise));
    const std::string worst = worst_place(row.worst);
    const std::string of = rows_ == Rows::each || one_layer ? "" : " of " + row.worst_layer;
    cells.push_back(worst.empty() ? "–" : worst + of);
    table.add(std::move(cells));
  }

  std::string text = table.rows() > 0 ? table.text() : "";
  for (const std::string& failure : failures_) text += "\n" + failure;
  const std::map<std::string, std::int64_t> refusals = refusals_.reasons();
  if (!refusals.empty()) text += "\nRefused:\n";
  std::size_t shown = 0;
  for (const auto& [sentence, count] : refusals) {
    if (!verbose && shown++ == kMostRefusals) {
      text += "  … and " + std::to_string(refusals.size() - kMostRefusals) + " other sentences; --verbose shows all\n";
      break;
    }
    text += "  " + std::to_string(count) + " × " + sentence + "\n";
  }
  return text + "\n" + std::to_string(passed_) + " passed, " + std::to_string(failed_) + " failed, " +
         std::to_string(refusals_.count()) + " refused\n";
}

}  // namespace convlens::cli

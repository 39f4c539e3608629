#include "cli/paper/report.h"

#include <cmath>

#include "cli/numbers.h"
#include "cli/paper/measure.h"

namespace convlens::cli::paper {

namespace {

std::string number(double value) { return std::isnan(value) ? "–" : fixed(value, value < 10 ? 2 : 1); }

std::string joined(const std::set<std::string>& texts, const char* between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all.empty() ? "unknown" : all;
}

std::vector<std::string> about(const Results& results) {
  const Origin& origin = results.origin();
  std::string libraries;
  for (const std::string& library : origin.libraries) libraries += ", " + library;
  const std::int64_t batch = results.spec(results.layers().front()).n;
  std::vector<std::string> lines{
      "The evaluation of Fu, Ma, Zhang, Zhao, Lu & Liu, 2026, arXiv 2608.20725, which was made on an RTX 3090 with "
      "CUDA 11.3 and cuDNN 8.2, rerun on " +
          origin.gpu + ", driver " + joined(origin.drivers, " and ") + ", CUDA " + joined(origin.cuda, " and ") +
          libraries + ".",
      "N = " + std::to_string(batch) + "; at least " + std::to_string(results.samples()) +
          (results.samples() == 1 ? " sample" : " samples") + " of each run, " + std::to_string(kSlowRepeats) +
          " being enough for one that takes longer than " + fixed(kSlowMs, 0) + " ms; " + origin.l2 +
          " L2; transforms of input and filter are part of every time. TFLOPS are direct-equivalent, of the best "
          "sample as in the paper, and behind a stroke of the median.",
      "CC is f32 on CUDA cores, without TF32, in NCHW; TC is f16 on tensor cores with f32 sums, in NHWC unless said.",
      "Records of " + joined(origin.made, "; ") + ".",
      "Means of ratios, of memory and of shares too, are geometric, over the layers that have both.",
  };
  if (results.ceilings())
    lines.push_back(
        (origin.ceilings.size() == 1
             ? std::string("Ceilings measured in the same run: ")
             : "Ceilings, the last of " + std::to_string(origin.ceilings.size()) + " that were measured: ") +
        fixed(results.ceilings()->f32_tflops, 1) + " TFLOPS in f32, " + fixed(results.ceilings()->f16_tflops, 1) +
        " in f16, copies " + fixed(results.ceilings()->copy_tbytes, 2) + " TB/s.");
  return lines;
}

std::string underlined(const std::string& title) {
  std::string line;
  for (std::size_t k = width(title); k > 0; --k) line += "─";
  return title + "\n" + line + "\n";
}

}  // namespace

Report make_report(const Results& results, const std::map<std::string, std::int64_t>& left_out) {
  Report report{about(results), figures(results), table_2(results), ratios(results), claims(results), {}};
  for (const auto& [why, times] : left_out) report.left_out.push_back(std::to_string(times) + " ×: " + why);
  for (const auto& [run, records] : results.left_out())
    report.left_out.push_back(std::to_string(records) + " ×: " + run + ", recorded, does not take part");
  for (const auto& [run, records] : results.replaced())
    report.left_out.push_back(std::to_string(records) + " ×: " + run + ", an earlier record than the one drawn");
  return report;
}

Table table(const Figure& figure) {
  std::vector<Table::Column> columns{{figure.unit}};
  for (const std::string& layer : figure.layers) columns.push_back({layer, true});
  Table table(columns);
  for (const Series& series : figure.series) {
    std::vector<std::string> cells{series.name};
    for (std::size_t k = 0; k < figure.layers.size(); ++k)
      cells.push_back(number(series.best[k]) +
                      (figure.unit == "TFLOPS" && !std::isnan(series.best[k]) ? " / " + number(series.median[k]) : ""));
    table.add(std::move(cells));
  }
  return table;
}

Table table(const std::vector<BestOfLayer>& rows) {
  Table table({{"Layer"}, {"cuDNN, CUDA cores"}, {"cuDNN, tensor cores"}, {"im2win, tensor cores"}});
  for (const BestOfLayer& row : rows) table.add({row.layer, row.cudnn_cc, row.cudnn_tc, row.im2win_tc});
  return table;
}

Table table(const std::vector<Ratio>& rows) {
  Table table({{"Ratio"}, {"Paper", true}, {"Here, best", true}, {"Here, median", true}, {"In words"}});
  for (const Ratio& r : rows)
    table.add({r.of, number(r.paper_least) + (r.paper_most > r.paper_least ? "–" + number(r.paper_most) : ""),
               number(r.best), number(r.median), r.verdict});
  return table;
}

Table table(const std::vector<Claim>& rows) {
  Table table({{"Claim"}, {"Verdict"}, {"What decides it"}});
  for (const Claim& claim : rows) table.add({claim.says, claim.verdict, claim.decided});
  return table;
}

std::string text(const Report& report) {
  std::string text;
  for (const std::string& line : report.about) text += line + "\n";
  for (const Figure& figure : report.figures) {
    text += "\n" + underlined(figure.title) + figure.caption + "\n\n" + table(figure).text();
    for (const std::string& note : figure.notes) text += note + "\n";
  }
  text += "\n" + underlined("Table II: the fastest on each layer") + "\n" + table(report.table_2).text();
  text += "\n" + underlined("The paper's ratios") + "\n";
  for (const Ratio& r : report.ratios)
    text += r.of + ": " + number(r.best) + " (median " + number(r.median) + ")" +
            (std::isnan(r.paper_least) ? "" : ", in the paper " + number(r.paper_least)) +
            (r.paper_most > r.paper_least ? "–" + number(r.paper_most) : "") + "\n  " + r.verdict + "\n";
  text += "\n" + underlined("Claims") + "\n";
  for (const Claim& claim : report.claims)
    text += claim.says + "\n  " + claim.verdict + (claim.decided.empty() ? "" : ": " + claim.decided) + "\n";
  if (!report.left_out.empty()) text += "\n" + underlined("Left out") + "\n";
  for (const std::string& line : report.left_out) text += line + "\n";
  return text;
}

}  // namespace convlens::cli::paper

// The report as one HTML file: figures are SVG inside it, nothing is loaded from elsewhere.
#include "cli/paper/report.h"

namespace convlens::cli::paper {

namespace {

constexpr const char* kStyle = R"(
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; color: #1d2530; }
  h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
  figure { margin: 0; } figcaption { color: #55606e; }
  svg { width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: #1d2530; }
  details { margin: .5rem 0; overflow-x: auto; } summary { cursor: pointer; color: #55606e; }
  table { border-collapse: collapse; font-size: .85rem; }
  th, td { padding: .25rem .6rem; border-bottom: 1px solid #d9dee5; text-align: left; vertical-align: top; }
  td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
)";

std::string element(const char* name, const std::string& content) {
  return "<" + std::string(name) + ">" + content + "</" + name + ">\n";
}
std::string heading(const std::string& title) { return element("h2", html_text(title)); }

std::string list(const std::vector<std::string>& lines) {
  std::string items;
  for (const std::string& line : lines) items += element("li", html_text(line));
  return element("ul", items);
}

}  // namespace

std::string html(const Report& report) {
  std::string body = element("h1", "im2win on CUDA cores and tensor cores: the paper's evaluation, rerun");
  for (const std::string& line : report.about) body += element("p", html_text(line));
  body += heading("The paper's ratios") + table(report.ratios).html();
  body += heading("Claims") + table(report.claims).html();
  for (const Figure& figure : report.figures)
    body += heading(figure.title) +
            element("figure", svg_bars(figure) + element("figcaption", html_text(figure.caption))) +
            element("details", element("summary", "The numbers") + table(figure).html()) +
            (figure.notes.empty() ? "" : list(figure.notes));
  body += heading("Table II: the fastest on each layer") + table(report.table_2).html();
  if (!report.left_out.empty()) body += heading("Left out") + list(report.left_out);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>im2win, rerun</title>\n<style>" +
         std::string(kStyle) + "</style>\n</head>\n" + element("body", body) + "</html>\n";
}

}  // namespace convlens::cli::paper

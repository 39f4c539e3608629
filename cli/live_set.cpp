#include "cli/live_set.h"

#include <algorithm>

#include "cli/numbers.h"
#include "cli/table.h"
#include "cli/terminal.h"

namespace convlens::cli {

using namespace worker;

namespace {

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void LiveSet::take(const Answer& answer) {
  if (const auto* started = std::get_if<Started>(&answer))
    line_.flops = started->flops, line_.executed = started->executed_flops;
  if (const auto* samples = std::get_if<Samples>(&answer); samples != nullptr && !samples->ms.empty()) {
    if (!measured()) began_ = Clock::now();
    line_.ms.insert(line_.ms.end(), samples->ms.begin(), samples->ms.end());
  }
  if (const auto* refused = std::get_if<Refused>(&answer)) refused_ = refused->why, refused_exit_ = refused->exit;
  if (const auto* done = std::get_if<Done>(&answer)) record_ = done->record;
}

bool LiveSet::stands(double seconds) const {
  return !refused_.empty() || (measured() && seconds_between(began_, Clock::now()) >= seconds);
}

std::string LiveSet::text() const {
  if (!refused_.empty()) return line_.run + "  refused: " + refused_;
  if (!measured()) return line_.run + "  ...";
  return line_.run + "  " + rate_text(line_.tflops()) + "  (median of the last " +
         std::to_string(std::min(line_.ms.size(), Line::kWindow)) + " of " + std::to_string(line_.ms.size()) +
         " samples: " + significant(line_.median_ms(), 4) + " ms; the first after " +
         significant(seconds_between(asked_, began_), 2) + " s)";
}

std::vector<std::string> LiveSet::facts() const {
  if (!refused_.empty()) return {"refused: " + refused_};
  if (!measured()) return {"..."};
  return {rate_text(line_.tflops()), significant(line_.median_ms(), 4) + " ms",
          std::to_string(line_.ms.size()) + " samples",
          "the first after " + significant(seconds_between(asked_, began_), 2) + " s"};
}

std::string LiveSet::text_in(int columns) const {
  constexpr int kLeastName = 12;  // columns
  const std::string whole = text();
  const auto columns_of = [](const std::string& text) { return static_cast<int>(width(text)); };
  if (columns_of(whole) <= columns) return in_columns(whole, columns);
  const int least = std::min(columns_of(line_.run), kLeastName);
  std::string behind;
  for (const std::string& fact : facts())
    if (const std::string more = behind + "  " + fact; behind.empty() || columns_of(more) + least <= columns)
      behind = more;
    else
      break;
  // The rate stands, however few columns are left to the name; but not a reason without end.
  const int left = columns - columns_of(behind);
  const int of_name = std::max(refused_.empty() ? 1 : least, left);
  return in_columns(in_columns(line_.run, of_name) + behind, columns);
}

}  // namespace convlens::cli

#include "cli/live_set.h"

#include <algorithm>

#include "cli/numbers.h"

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

}  // namespace convlens::cli

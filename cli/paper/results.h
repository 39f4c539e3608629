// What was measured: records of the contenders, by layer, and the questions that the figures ask of them.
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/paper/contenders.h"

namespace convlens::cli::paper {

struct Result {
  std::string contender;                      // its name
  double median_tflops = 0, best_tflops = 0;  // of all samples: the paper reports the best
  double median_ms = 0;
  std::int64_t ledger_bytes = 0;              // x, w, y and workspace
  std::optional<std::int64_t> device_bytes;   // the same as the device's free memory tells
  std::map<std::string, std::int64_t> bytes;  // of the ledger, by name
  std::string transform = {}, today = {};     // "F(5x5,3x3)", and what the row chooses now, where they differ
};

// What the device can do at most, as the records' notes have it.
struct Ceilings {
  double f32_tflops = 0, f16_tflops = 0, copy_tbytes = 0;
};

// On what and how the records were measured, in their own words.
struct Origin {
  std::string gpu, l2;                             // the same of all
  std::set<std::string> drivers, cuda, libraries;  // "cuDNN 9.13.0", those that they name
  std::set<std::string> ceilings;                  // the notes on them that differ
  std::set<std::string> made;                      // "revision …, 2026-11-30"
};

class Results {
 public:
  // Adds a record, one line of JSON as algorithms/measure/record.h writes it. One that is no contender's, or not of a
  // whole call on a GPU, is left out. A later record of the same contender and layer replaces an earlier. Throws
  // BadInput that names `where` for what is no record, or for one of another GPU, batch size, state of L2 or problem
  // of the layer's name than those before: they cannot be set side by side.
  void add(const std::string& json, const std::string& where);

  const std::vector<std::string>& layers() const { return layers_; }  // in the order of the records
  const ConvSpec& spec(const std::string& layer) const { return specs_.at(layer); }
  bool empty() const { return layers_.empty(); }
  std::optional<Result> find(const std::string& layer, const std::string& contender) const;

  // The fastest of `contenders` on a layer, by its best sample.
  std::optional<Result> fastest(const std::string& layer, const std::vector<Contender>& contenders) const;

  // How many records of each run were left out, "direct.tc, f16 NCHW", and how many for a later one of the same run.
  const std::map<std::string, std::int64_t>& left_out() const { return left_out_; }
  const std::map<std::string, std::int64_t>& replaced() const { return replaced_; }

  const Origin& origin() const { return origin_; }
  std::size_t samples() const { return samples_; }                       // the fewest of any record
  const std::optional<Ceilings>& ceilings() const { return ceilings_; }  // of the last record that has them

 private:
  std::vector<std::string> layers_;
  std::map<std::pair<std::string, std::string>, Result> results_;  // by layer and contender
  std::map<std::string, ConvSpec> specs_;
  std::map<std::string, std::int64_t> left_out_, replaced_;
  std::size_t samples_ = 0;
  Origin origin_;
  std::optional<Ceilings> ceilings_;
};

// The note of a record that says what the device's free memory fell by, and back.
std::string device_bytes_note(std::int64_t bytes);

}  // namespace convlens::cli::paper

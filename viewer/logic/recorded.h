// Recorded runs that stand in where nothing has been measured: the records that ship (notebooks/data/*.jsonl).
//
// They are looked for in the folder CONVLENS_DATA where that is set, else in the sources, else in share/convlens/data
// beside the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/logic/study.h"

namespace convlens::viewer {

// The files that ship whose names end so, sorted: data_files(".jsonl").
std::vector<std::string> data_files(const std::string& extension);

struct Records {
  std::vector<Curve> curves;
  std::vector<std::string> wrong;  // "file:line: what is wrong with it"; such lines are left out

  // Of this job, whatever its data; of several the one that was recorded with most other option sets of its row.
  const Curve* find(const worker::Job& job) const;

  // What is recorded of the job's row with other options, and with its own: one record an option set.
  std::vector<const Curve*> option_sets(const worker::Job& job) const;

  // The record closest to what is asked for, when that itself is none: the same layer, and as many of row, options,
  // type, layouts, batch size and timing as there are, in this order; null without any record of the layer.
  const Curve* closest(const worker::Job& job) const;

  // What the machine can do at most, as a record of this layer knows: by its notes, or, without, by the fraction of the
  // floor that it was: TFLOPS / fraction is the roof over the layer. The slope, tbytes, is 0 where no layer of that run
  // was below its ridge.
  std::optional<worker::Ceilings> ceilings(const worker::Job& job) const;
};

Records read_records(const std::vector<std::string>& files);

// Those that ship, read once.
const Records& shipped_records();

}  // namespace convlens::viewer

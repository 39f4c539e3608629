// Files of JSON Lines, read one line at a time: what is wrong with one leaves the others as they are.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "algorithms/error.h"

namespace convlens::viewer {

// Gives every line of the files to `take`, in their order. Where that throws an Error, "file:line: what is wrong" goes
// to `wrong`.
template <class Take>
void each_line(const std::vector<std::string>& files, std::vector<std::string>& wrong, const Take& take) {
  for (const std::string& file : files) {
    std::ifstream lines(file);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      try {
        take(line);
      } catch (const Error& error) {
        wrong.push_back(file + ":" + std::to_string(number) + ": " + error.what());
      }
    }
  }
}

}  // namespace convlens::viewer

// States in files: read with every rule checked, written whole or not at all.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "algorithms/error.h"
#include "algorithms/output_file.h"
#include "viewer/logic/state.h"
#include "viewer/logic/state_field.h"
#include "viewer/logic/state_input.h"

namespace convlens::viewer {

namespace {

// What has no end, or waits for somebody, is never read: a window would wait with it.
void refuse_endless(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::file_status status = fs::status(file, none);
  if (!fs::exists(status)) return;  // reading it says so
  if (!fs::is_regular_file(status)) throw BadInput("state: " + file + ", must be a regular file");
  if (const std::uintmax_t bytes = fs::file_size(file, none); bytes > kMostStateBytes)
    throw BadInput("state: " + file + ", has " + std::to_string(bytes) + " bytes, must be at most " +
                   std::to_string(kMostStateBytes) + " bytes");
}

// "state.json.damaged", or with the first number that is free: an earlier one stays.
std::string name_aside(const std::string& file) {
  std::error_code none;
  std::string name = file + ".damaged";
  for (int number = 2; std::filesystem::exists(name, none); ++number)
    name = file + ".damaged." + std::to_string(number);
  return name;
}

}  // namespace

State read_state(const std::string& file) {
  refuse_endless(file);
  std::ifstream stream(file);
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (stream.bad() || !stream.is_open()) throw BadInput("state: " + file + ", cannot be read");
  return state_from_text(text.str(), file);
}

KeptState read_kept_state(const std::string& file) {
  std::error_code none;
  if (file.empty() || !std::filesystem::exists(file, none)) return {first_state(), file, ""};
  try {
    return {read_state(file), file, ""};
  } catch (const NewerState& error) {
    return {first_state(), "", std::string(error.what()) + "; the file is left as it is"};
  } catch (const BadInput& error) {
    const std::string aside = name_aside(file);
    if (std::rename(file.c_str(), aside.c_str()) == 0)
      return {first_state(), file, std::string(error.what()) + "; the file is kept as " + aside};
    return {first_state(), "", std::string(error.what()) + "; the file is left as it is"};
  }
}

void write_kept_state(const State& state, const std::string& file) {
  std::error_code none;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), none);  // the write says if it failed
  write_state(state, file);
}

void write_state(const State& state, const std::string& file) {
  const std::string text = state_text(state);
  OutputFile output(file, "state");
  output.write(std::as_bytes(std::span(text)));
  output.commit();
}

}  // namespace convlens::viewer

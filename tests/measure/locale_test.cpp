// Numbers are written and read with '.', whatever the system's locale: a run under a German one, where C and C++ write
// one half as 0,5.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <regex>

#include "algorithms/measure/record.h"
#include "algorithms/problem/parse.h"
#include "tests/catch.h"
#include "tests/measure/some_measurement.h"

using namespace convlens;

namespace {

constexpr const char* kGerman = "de_DE.UTF-8";

// The German locale for C and C++ while it lives: the system's, or the one that the build made.
class German {
 public:
  German() {
    // The C library remembers a locale that it did not find, so the folder is named before it is asked.
    const std::string folder = CONVLENS_BINARY_DIR "/locale";
    if (std::filesystem::exists(folder + "/" + kGerman)) setenv("LOCPATH", folder.c_str(), 1);
    set_ = std::setlocale(LC_ALL, kGerman) != nullptr;
    if (set_) std::locale::global(std::locale(kGerman));
  }
  ~German() {
    std::locale::global(std::locale::classic());  // of C too
    unsetenv("LOCPATH");
  }
  explicit operator bool() const { return set_; }

 private:
  bool set_ = false;
};

std::string without_time(const std::string& record) {
  return std::regex_replace(record, std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)"), "");
}

}  // namespace

TEST_CASE("records and layers are the same text in a locale with a decimal comma") {
  const auto plan = some_plan();
  Measurement measurement = some_measurement(*plan);
  measurement.error_over_bound = 1234567.25;
  const std::string json = to_json(measurement), csv = to_csv(measurement), header = csv_header();
  const ConvSpec spec{.n = 1234567, .ci = 4, .hi = 8, .wi = 8, .stride_h = 2};
  const std::string text = to_text(spec);

  const German german;
  if (!german) {
    std::puts("SKIP: no locale de_DE.UTF-8, and none was made when configuring (Debian: package locales)");
    return;
  }
  char half[8];
  std::snprintf(half, sizeof half, "%.1f", 0.5);
  REQUIRE(std::string(half) == "0,5");  // the locale is in force

  CHECK(without_time(to_json(measurement)) == without_time(json));
  CHECK(without_time(to_csv(measurement)) == without_time(csv));
  CHECK(csv_header() == header);
  CHECK(to_json(measurement).find("\"floor_fraction\":0.5,") != std::string::npos);
  CHECK(to_json(measurement).find("\"error_over_bound\":1234567.25,") != std::string::npos);
  CHECK(to_text(spec) == text);
  CHECK(parse_spec(text) == spec);
}

// What panels write: for every panel, as CSV and JSON, whatever the locale.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "viewer/logic/state.h"

namespace {

using namespace convlens;

std::string contents(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A locale with a decimal comma, where one was made when configuring.
std::map<std::string, std::string> german() {
  return {{"LC_ALL", "de_DE.UTF-8"}, {"LOCPATH", std::string(CONVLENS_BINARY_DIR) + "/locale"}};
}

}  // namespace

TEST_CASE("what panels export is the same under a decimal comma: rows of one length, and strict JSON", "[cases]") {
  const TemporaryFolder folder;
  bool left_out = false;
  const bool comma = std::filesystem::exists(std::string(CONVLENS_BINARY_DIR) + "/locale/de_DE.UTF-8");
  if (!comma) WARN("SKIP: no locale de_DE.UTF-8, and none was made when configuring (Debian: package locales)");
  for (const std::string& panel : viewer::panel_names())
    for (const std::string& arrangement :
         panel == "layouts" ? viewer::arrangement_names() : std::vector<std::string>{"grids"})
      for (const std::string& kind : {std::string("csv"), std::string("json")}) {
        INFO(panel << " " << arrangement << " " << kind);
        const auto write = [&](const std::string& name, const std::map<std::string, std::string>& environment) {
          const std::string file = folder.path() + "/" + name + "." + kind;
          const CommandResult result = run_command(
              {.arguments = {"view", "--layer", "cv9", "--algorithm", "im2win", "--algorithm", "implicit_gemm.cc",
                             "--panel", panel, "--arrangement", arrangement, "--scale", "1.5", "--export", file},
               .environment = environment});
          INFO(result.err);
          left_out = result.exit == 3 && result.err.find("viewer") != std::string::npos;
          CHECK((result.exit == 0 || left_out));
          return contents(file);
        };
        const std::string plain = write("plain", {});
        if (left_out) {
          WARN("SKIP: this build has no viewer");
          return;
        }
        CHECK_FALSE(plain.empty());
        if (comma) CHECK(write("comma", german()) == plain);
        if (kind == "json") {
          CHECK(nlohmann::json::accept(plain));
        } else {
          const auto rows = parse_csv(plain);
          CHECK(rows.size() > 1);
          for (const auto& row : rows) REQUIRE(row.size() == rows.front().size());
        }
      }
}

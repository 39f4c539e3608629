// Where there is no display, one line says so and names the way without one.
#include <algorithm>

#include "tests/catch.h"
#include "tests/support/command.h"

namespace {

using convlens::CommandResult;

// Asks for a window.
CommandResult view(const std::string& display, const std::string& wayland) {
  const convlens::TemporaryFolder config;
  return convlens::run_command({.arguments = {"view"},
                                .environment = {{"DISPLAY", display},
                                                {"WAYLAND_DISPLAY", wayland},
                                                {"XDG_RUNTIME_DIR", config.path()},
                                                {"XDG_CONFIG_HOME", config.path()}}});
}

bool left_out(const CommandResult& result) {
  if (result.exit != 3 || result.err.find("viewer") == std::string::npos) return false;
  WARN("SKIP: " << result.err);
  return true;
}

}  // namespace

TEST_CASE("without a display the viewer says so in one line, at once, with exit code 2", "[cases]") {
  const std::vector<std::pair<std::string, std::string>> sessions{
      {"", ""}, {":97531", ""}, {"", "wayland-97531"}, {"nowhere:7", "wayland-97531"}};
  for (const auto& [display, wayland] : sessions) {
    INFO("DISPLAY=" << display << " WAYLAND_DISPLAY=" << wayland);
    const CommandResult result = view(display, wayland);
    if (left_out(result)) return;
    INFO(result.err);
    CHECK(result.exit == 2);
    CHECK(result.signal == 0);
    CHECK(result.out.empty());
    REQUIRE(result.err_lines().size() == 1);
    for (const char* named : {"no display", "DISPLAY", "WAYLAND_DISPLAY", "--screenshot"})
      CHECK(result.err.find(named) != std::string::npos);
  }
}

TEST_CASE("a state file that cannot be understood is refused before anything is drawn or written") {
  const convlens::TemporaryFolder folder;
  const std::string picture = folder.path() + "/picture.png";
  for (const std::string& file : {folder.path() + "/gone.json", folder.path()}) {
    const CommandResult result = convlens::convlens_command({"view", "--state", file, "--screenshot", picture});
    if (left_out(result)) return;
    INFO(result.err);
    CHECK(result.exit == 2);
    CHECK(result.err_lines().size() == 1);
    CHECK(convlens::run_command({.arguments = {"-e", picture}, .program = "/usr/bin/test"}).exit == 1);
  }
}

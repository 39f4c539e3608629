#include "algorithms/measure/machine.h"

#include <sys/utsname.h>

#include <set>

#include "tests/catch.h"

using namespace convlens;

TEST_CASE("the machine is told by system, kernel and processor, never by its own name") {
  utsname system{};
  REQUIRE(uname(&system) == 0);
  CHECK(machine().host.find(system.release) != std::string::npos);
  CHECK(machine().host.find(system.nodename) == std::string::npos);
  CHECK(machine().cores >= 1);
  CHECK(machine().cpu.find(std::to_string(machine().cores) + " core") != std::string::npos);
  CHECK(machine().last_level_cache >= 0);
  CHECK(machine().memory > 0);
}

TEST_CASE("the program knows its version, its revision and its libraries") {
  CHECK(!version().empty());
  CHECK(!revision().empty());
  std::set<std::string> names;
  for (const Library& library : libraries()) {
    CHECK(!library.version.empty());
    CHECK(names.insert(library.name).second);
  }
  CHECK(names.contains("OpenMP"));
  CHECK(names.contains("nlohmann-json"));
}

TEST_CASE("ceilings are measured once and say what they were measured with") {
  const Ceilings& ceilings = cpu_ceilings(1);
  CHECK(ceilings.gflops > 0);
  CHECK(ceilings.gbytes > 0);
  CHECK(!ceilings.vectors.empty());
  CHECK(&cpu_ceilings(1) == &ceilings);
  CHECK(&cpu_ceilings(0) == &cpu_ceilings(machine().cores));
  CHECK(&cpu_ceilings(1024) == &cpu_ceilings(machine().cores));  // threads that take turns are no faster
}

TEST_CASE("the floor is the slower of computing and moving") {
  const Ceilings ceilings{.gflops = 500, .gbytes = 50, .vectors = ""};
  CHECK(floor_ms(1'000'000'000, 1'000'000, ceilings) == Approx(2.0));
  CHECK(floor_ms(1'000'000, 100'000'000, ceilings) == Approx(2.0));
  CHECK(floor_ms(0, 0, ceilings) == 0);
}

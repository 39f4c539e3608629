#include "algorithms/direct/direct.h"
#include "tests/catch.h"

TEST_CASE("direct.ref is the definition and stores nothing") {
  const convlens::Request request{
      convlens::ConvProblem({.n = 1, .ci = 1, .hi = 5, .wi = 2, .co = 1, .hf = 2, .wf = 1})};
  CHECK(convlens::direct_ref().plan(request)->workspace_bytes() == 0);
}

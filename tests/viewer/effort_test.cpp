// What looking at a tensor costs is known beforehand, and bounds what is computed.
#include "viewer/logic/effort.h"

#include "algorithms/interface/registry.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/default_sheet.h"

using namespace convlens;
using namespace convlens::viewer;

TEST_CASE("pictures of small tensors are painted pixel by pixel") {
  const Model model(first_state());
  for (const Exhibit& exhibit : model.exhibits()) {
    INFO(exhibit.id);
    const Sheet sheet = default_sheet(exhibit, {});
    const double cells = static_cast<double>(sheet.rows() * sheet.columns());
    CHECK(too_much(exhibit.effort).empty());
    CHECK(grain_of(exhibit.effort, 200'000, tiles_under(exhibit, sheet, cells)) == 1);
  }
}

TEST_CASE("the steps of a picture never exceed their bound, whatever the layer and the row") {
  for (const std::int64_t side : {512, 4096, 16384}) {
    const Model model(testing::state_of(
        testing::padded(1, {.ci = 64, .hi = side, .wi = side, .co = 64, .hf = 3, .wf = 3}), testing::all_runs()));
    int refused = 0;
    for (const Exhibit& exhibit : model.exhibits()) {
      INFO(side << " " << exhibit.id << ": " << exhibit.effort.each << " and " << exhibit.effort.tile << " a tile");
      const Sheet sheet = default_sheet(exhibit, {});
      const double pixels = 1 << 20, cells = static_cast<double>(sheet.rows()) * static_cast<double>(sheet.columns());
      const int grain = grain_of(exhibit.effort, pixels, tiles_under(exhibit, sheet, cells));
      if (side == 512 && exhibit.effort.spectra > 0) CHECK(grain > 0);
      refused += grain == 0 && exhibit.effort.spectra > 0;
      if (grain > 0) CHECK(pixels / (grain * grain) * exhibit.effort.each <= 1.01 * kMostSteps);
      if (!too_much(exhibit.effort).empty()) CHECK(grain == 0);
    }
    if (side > 512) CHECK(refused > 0);
  }
}

TEST_CASE("transforms of whole images that are too long name the run that cuts them into tiles") {
  CHECK(in_tiles("fft.ref") == "fft.ref:transform=tiled");
  CHECK(in_tiles("fft.ref:transform=tiled").empty());
  CHECK(in_tiles("im2win.ref").empty());
  const Model model(
      testing::state_of(testing::padded(1, {.ci = 8, .hi = 16384, .wi = 16384, .co = 8, .hf = 3, .wf = 3}),
                        {"fft.ref", "fft.ref:transform=tiled"}));
  const std::string why = too_much(model.find("fft.ref/product_spectra")->effort);
  CHECK(why.find("16 transforms of 16875 × 17280 points") != std::string::npos);
  CHECK(too_much(model.find("fft.ref:transform=tiled/product_spectra")->effort).empty());
}

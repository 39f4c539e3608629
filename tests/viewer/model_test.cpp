// The model of any state at all: illegal layers, layers at every limit, rows that are not there.
#include "viewer/logic/model.h"

#include <cmath>
#include <limits>

#include "algorithms/problem/layers.h"
#include "tests/catch.h"
#include "tests/viewer/states.h"
#include "viewer/logic/copies.h"
#include "viewer/logic/default_sheet.h"
#include "viewer/logic/links.h"
#include "viewer/logic/memory.h"
#include "viewer/logic/schedule.h"
#include "viewer/logic/steps.h"

namespace {

using namespace convlens;
using namespace convlens::viewer;

const std::vector<std::int64_t ConvSpec::*> kNumbers{
    &ConvSpec::n,          &ConvSpec::ci,         &ConvSpec::hi,       &ConvSpec::wi,
    &ConvSpec::co,         &ConvSpec::hf,         &ConvSpec::wf,       &ConvSpec::stride_h,
    &ConvSpec::stride_w,   &ConvSpec::pad_top,    &ConvSpec::pad_left, &ConvSpec::pad_bottom,
    &ConvSpec::dilation_h, &ConvSpec::dilation_w, &ConvSpec::groups,   &ConvSpec::pad_right};

// Everything that is asked of a model to draw a frame, at its first and last cells.
void ask_everything(const State& state) {
  const auto model = std::make_shared<const Model>(state);
  memory_bars(*model, state.memory_limit);
  schedules(*model);
  for (const ChosenRow& row : model->rows()) largest_batch(row, state.memory_limit);
  for (std::size_t r = 0; r < model->rows().size(); ++r)
    if (model->rows()[r].plan) CHECK_FALSE(phases_of(*model, static_cast<int>(r)).empty());
  if (!model->problem()) {
    CHECK(model->exhibits().empty());
    CHECK((!model->broken().empty() || !model->overflow().empty()));
    CHECK(links_of(*model, model->valid(state.cursor)).cells.empty());
    return;
  }
  copy_law(*model->problem());
  const Values values(model, random_sources(*model->problem(), 1));
  for (const Exhibit& exhibit : model->exhibits()) {
    INFO(exhibit.id);
    for (const Coord& far : {Coord{}, testing::whole(exhibit).extent}) {
      const Cursor cursor = model->valid({exhibit.id, far});
      const Links links = links_of(*model, cursor);
      if (exhibit.cells() == 0) {
        CHECK(links.cells.empty());
        continue;
      }
      CHECK(links.lit(exhibit.id, cursor.at));
      CHECK(default_sheet(exhibit, cursor.at).position(cursor.at));
    }
  }
}

}  // namespace

TEST_CASE("a layer that breaks rules is a model without tensors that says which") {
  for (const auto member : kNumbers)
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 40}) {
      State state =
          testing::state_of(testing::padded(1, {.n = 1, .ci = 2, .hi = 6, .wi = 6, .co = 2, .hf = 3, .wf = 3}),
                            {"im2col.ref", "im2win.ref", "winograd.ref"});
      state.spec.*member = value;
      INFO("value " << value);
      const Model model(state);
      for (const BrokenRule& rule : model.broken()) CHECK(rule.line().find('\n') == std::string::npos);
      CHECK(model.overflow().find('\n') == std::string::npos);
      if (!model.problem()) ask_everything(state);
    }
}

TEST_CASE("layers at every limit can be looked at") {
  std::vector<ConvSpec> layers{
      {.n = 1},
      {.n = 0, .ci = 2, .hi = 5, .wi = 5, .co = 2, .hf = 3, .wf = 3},
      {.n = 0, .bias = true},
      {.ci = 2, .hi = 1, .wi = 1, .co = 2},
      testing::padded(1, {.hi = 2, .wi = 2, .hf = 3, .wf = 3}),
      testing::padded(2, {.hi = 5, .wi = 5, .hf = 3, .wf = 3, .dilation_h = 4, .dilation_w = 4}),
      {.hi = 3, .wi = 3, .hf = 3, .wf = 3, .stride_h = 1000, .stride_w = 1000},
      testing::padded(50, {.hi = 1, .wi = 1, .hf = 3, .wf = 3}),
      {.hi = 1, .wi = 300, .hf = 1, .wf = 7},
      {.hi = 300, .wi = 1, .hf = 7, .wf = 1},
      {.ci = 64, .hi = 4, .wi = 4, .co = 128, .hf = 3, .wf = 3, .groups = 64},
      {.n = 65536, .ci = 64, .hi = 16, .wi = 16, .co = 64, .hf = 3, .wf = 3},
      {.n = 256, .ci = 2048, .hi = 32, .wi = 32, .co = 2048, .hf = 3, .wf = 3},
      {.hi = 1, .wi = 100000, .hf = 1, .wf = 3},
      {.hi = 100000, .wi = 1, .hf = 3, .wf = 1},
      testing::padded(16, {.ci = 4, .hi = 64, .wi = 64, .co = 4, .hf = 33, .wf = 33}),
  };
  for (const ConvSpec& spec : layers) {
    INFO("C_i, H_i, W_i, H_f, W_f, N: " << testing::text({spec.ci, spec.hi, spec.wi, spec.hf, spec.wf, spec.n}));
    ask_everything(testing::state_of(spec, first_state().runs));
  }
}

TEST_CASE("every named layer can be looked at, with the largest batches", "[large]") {
  for (const NamedLayer& layer : named_layers()) {
    INFO(layer.name);
    ConvSpec spec = layer.spec;
    spec.n = 256;
    State state = viewer::first_state();
    state.layer = layer.name;
    state.spec = spec;
    ask_everything(state);
  }
}

TEST_CASE("rows that are not there are named, and the others shown") {
  const Model model(testing::state_of({.hi = 5, .wi = 5, .hf = 3, .wf = 3},
                                      {"im2win.ref", "nonsense.row", "im2col.ref:nonsense=1", ""}));
  CHECK(model.unknown_runs() == std::vector<std::string>{"nonsense.row", "im2col.ref:nonsense=1", ""});
  REQUIRE(model.rows().size() == 1);
  CHECK(model.rows().front().plan);
}

TEST_CASE("a row that cannot run says why, and has no tensors") {
  const Model model(
      testing::state_of({.hi = 9, .wi = 9, .hf = 3, .wf = 3, .stride_h = 2, .stride_w = 2}, {"winograd.ref"}));
  REQUIRE(model.rows().size() == 1);
  CHECK_FALSE(model.rows().front().plan);
  CHECK(model.rows().front().support.reason.find("stride") != std::string::npos);
  CHECK(model.exhibits().size() == 3);
}

TEST_CASE("tensors have names of their own") {
  const Model model(testing::state_of({.ci = 2, .hi = 9, .wi = 9, .co = 2, .hf = 3, .wf = 3}, testing::all_runs()));
  std::vector<std::string> ids;
  for (const Exhibit& exhibit : model.exhibits()) ids.push_back(exhibit.id);
  std::ranges::sort(ids);
  CHECK(std::ranges::adjacent_find(ids) == ids.end());
}

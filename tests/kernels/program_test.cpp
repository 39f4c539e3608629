// The programs of all rows on a GPU, as they are described without one: that they can be launched, that what they name
// exists, and that their blocks share the result out without gap or overlap.
#include <algorithm>
#include <set>

#include "algorithms/interface/registry.h"
#include "kernels/program.h"
#include "kernels/text.h"
#include "tests/catch.h"
#include "tests/support/option_cover.h"
#include "tests/support/rows.h"

using namespace convlens;
using namespace convlens::gpu;
using Catch::Matchers::Contains;

namespace {

// Ragged in every size; strides, dilation, groups, depthwise, one tap, an empty batch; and one of the named layers.
const std::vector<ConvProblem>& layers() {
  static const std::vector<ConvProblem> all{
      ConvProblem({.n = 3, .ci = 7, .hi = 15, .wi = 19, .co = 13, .hf = 3, .wf = 3, .pad_top = 1, .pad_left = 1}),
      ConvProblem({.n = 2,
                   .ci = 6,
                   .hi = 23,
                   .wi = 17,
                   .co = 9,
                   .hf = 5,
                   .wf = 3,
                   .stride_h = 2,
                   .stride_w = 3,
                   .pad_bottom = 2,
                   .groups = 3,
                   .bias = true}),
      ConvProblem({.n = 5,
                   .ci = 4,
                   .hi = 14,
                   .wi = 31,
                   .co = 4,
                   .hf = 3,
                   .wf = 3,
                   .dilation_h = 2,
                   .dilation_w = 3,
                   .groups = 4}),
      ConvProblem({.n = 17, .ci = 70, .hi = 9, .wi = 7, .co = 130, .hf = 1, .wf = 1, .bias = true}),
      ConvProblem({.n = 0, .ci = 3, .hi = 8, .wi = 8, .co = 5, .hf = 3, .wf = 3}),
      ConvProblem({.n = 2, .ci = 64, .hi = 56, .wi = 56, .co = 64, .hf = 3, .wf = 3}),
  };
  return all;
}

// Calls visit(request) for requests of the row: every layer with choices of its options that hold every pair of values,
// the layouts another for each, as far as the row supports that; returns how many.
template <class Visit>
int for_requests(const Algorithm& row, const Visit& visit) {
  Request request{layers().back()};
  request.dtype = row.unit == Unit::tc ? DType::f16 : DType::f32;
  const std::vector<OptionSet> cover = testing::option_cover(row, request);
  int supported = 0;
  std::size_t number = 0;
  for (const ConvProblem& layer : layers())
    for (const OptionSet& options : cover) {
      request.problem = layer;
      request.options = options;
      request.layouts = {kLayouts[number % 3], kFilterLayouts[number / 3 % 2], kLayouts[number / 6 % 3]};
      ++number;
      if (!row.supports(request)) continue;
      ++supported;
      visit(request);
    }
  return supported;
}

// The bytes behind what an argument points to.
std::int64_t bytes_of(const Plan& plan, const Argument& argument) {
  const Request& r = plan.request();
  switch (argument.kind) {
    case Argument::Kind::x:
      return r.x_bytes();
    case Argument::Kind::w:
      return r.w_bytes();
    case Argument::Kind::bias:
      return r.bias_bytes();
    case Argument::Kind::y:
      return r.y_bytes();
    case Argument::Kind::number:
      return 0;
    case Argument::Kind::buffer:
      break;
  }
  const auto found = std::ranges::find(plan.workspace(), argument.buffer, &Buffer::name);
  return found == plan.workspace().end() ? -1 : found->bytes;
}

// What is wrong with an argument, or "".
std::string complaint(const Plan& plan, const Argument& argument) {
  const std::int64_t bytes = bytes_of(plan, argument);
  if (bytes < 0) return "no buffer " + argument.buffer;
  const bool inside = argument.offset >= 0 && (argument.offset < bytes || (bytes == 0 && argument.offset == 0));
  return inside ? "" : "offset " + std::to_string(argument.offset) + " of " + std::to_string(bytes) + " bytes";
}

std::string complaint(const Plan& plan, const std::string& workspace, std::int64_t bytes) {
  if (workspace.empty()) return bytes == 0 ? "" : "workspace without a buffer";
  const std::int64_t there = bytes_of(plan, buffer(workspace));
  return there >= bytes ? "" : "workspace " + workspace + " of " + std::to_string(there) + " bytes";
}

// How many parameters the function has in the text: what stands between the parentheses after its name.
std::size_t parameters_of(const std::string& text, const std::string& entry) {
  const std::size_t open =
      text.find('(', text.find(" " + entry + "(") == std::string::npos ? text.find("\n" + entry + "(")
                                                                       : text.find(" " + entry + "("));
  if (open == std::string::npos) return 0;
  const std::size_t close = text.find(')', open);
  return 1 + static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(open),
                                                 text.begin() + static_cast<std::ptrdiff_t>(close), ','));
}

void check_launch(const Plan& plan, const Launch& launch) {
  INFO(launch.kernel.file << " " << launch.kernel.entry);
  CHECK_FALSE(launch.sentence.empty());
  const bool empty = plan.problem().n() == 0;
  CHECK((launch.grid.count() >= 1 || empty));
  CHECK((launch.block.count() >= 1 && launch.block.count() <= 1024 && launch.block.z <= 64));
  CHECK((launch.shared_bytes >= 0 && launch.shared_bytes <= 227 << 10));  // Hopper's most, a block
  for (const Argument& argument : launch.arguments) CHECK(complaint(plan, argument) == "");
  const std::string text = source(launch.kernel);
  CHECK(parameters_of(text, launch.kernel.entry) == launch.arguments.size() + 1);  // and the sizes
  std::set<std::string> names;
  for (const Constant& constant : launch.kernel.constants) CHECK(names.insert(constant.name).second);
}

void check_step(const Plan& plan, const Launch& launch) { check_launch(plan, launch); }
void check_step(const Plan& plan, const Gemm& gemm) {
  CHECK_FALSE(gemm.sentence.empty());
  for (const Argument& argument : {gemm.a, gemm.b, gemm.c}) CHECK(complaint(plan, argument) == "");
  CHECK(complaint(plan, gemm.workspace, gemm.workspace_bytes) == "");
  CHECK((gemm.lda >= (gemm.transpose_a ? gemm.m : gemm.k) && gemm.ldb >= (gemm.transpose_b ? gemm.k : gemm.n) &&
         gemm.ldc >= gemm.n));
}
void check_step(const Plan& plan, const Fft& fft) {
  CHECK_FALSE(fft.sentence.empty());
  for (const Argument& argument : {fft.in, fft.out}) CHECK(complaint(plan, argument) == "");
  CHECK(complaint(plan, fft.workspace, fft.workspace_bytes) == "");
}
void check_step(const Plan& plan, const VendorCall& call) {
  CHECK_FALSE(call.sentence.empty());
  CHECK(complaint(plan, call.workspace, call.workspace_bytes) == "");
}

// What is wrong with how the blocks of the launches that write `target` share out its cells, or "".
std::string sharing_complaint(const Program& program, const std::string& target,
                              const std::vector<std::int64_t>& extents) {
  std::int64_t cells = 1;
  for (std::int64_t extent : extents) cells *= extent;
  std::vector<int> times(static_cast<std::size_t>(cells), 0);
  for (const Step& step : program.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr || launch->writes != target) continue;
    if (!launch->tiles) return "";  // nothing is said of its blocks
    for (std::int64_t number = 0; number < launch->grid.count(); ++number) {
      const Dim3 block{number % launch->grid.x, number / launch->grid.x % launch->grid.y,
                       number / launch->grid.x / launch->grid.y};
      for (const Box& box : launch->tiles(block))
        for (std::int64_t k = 0; k < box.size(); ++k) {
          std::int64_t rest = k, index = 0;
          Coord at{};
          for (std::size_t axis = kMaxRank; axis-- > 0;)
            at[axis] = box.first[axis] + rest % box.extent[axis], rest /= box.extent[axis];
          for (std::size_t axis = 0; axis < kMaxRank; ++axis) {
            const std::int64_t extent = axis < extents.size() ? extents[axis] : 1;
            if (at[axis] < 0 || at[axis] >= extent) return "a tile reaches beyond " + target;
            index = index * extent + at[axis];
          }
          ++times[static_cast<std::size_t>(index)];
        }
    }
  }
  const auto wrong = std::ranges::find_if(times, [](int count) { return count != 1; });
  if (wrong == times.end()) return "";
  return "cell " + std::to_string(wrong - times.begin()) + " of " + target + " is computed " + std::to_string(*wrong) +
         " times";
}

void check_sharing(const Plan& plan) {
  const Shape y = plan.problem().y_shape();
  const bool writes_y = std::ranges::any_of(plan.program()->steps, [](const Step& step) {
    const auto* launch = std::get_if<Launch>(&step);
    return launch != nullptr && launch->writes == "y";
  });
  if (writes_y) CHECK(sharing_complaint(*plan.program(), "y", {y.begin(), y.end()}) == "");
  for (const Stage& stage : plan.stages()) {
    std::vector<std::int64_t> extents;
    for (const Axis& axis : stage.axes) extents.push_back(axis.extent);
    const bool written = std::ranges::any_of(plan.program()->steps, [&](const Step& step) {
      const auto* launch = std::get_if<Launch>(&step);
      return launch != nullptr && launch->writes == stage.id;
    });
    if (written) CHECK(sharing_complaint(*plan.program(), stage.id, extents) == "");
  }
}

// The text without what the program has decided: from the first line of the file itself.
std::string without_prologue(const std::string& text) { return text.substr(text.find("#line 1 ")); }

}  // namespace

TEST_CASE("the program of every row can be launched, and all that it names exists") {
  for (const Algorithm* row : testing::gpu_rows()) {
    const int supported = for_requests(*row, [&](const Request& request) {
      const auto plan = row->plan(request);
      INFO(plan->run_name() << " on layer " << request.problem.n() << "x" << request.problem.ci() << ", "
                            << name(request.layouts.x) << " to " << name(request.layouts.y));
      REQUIRE(plan->program() != nullptr);
      CHECK((!plan->program()->steps.empty() || request.problem.n() == 0));
      for (const Step& step : plan->program()->steps) std::visit([&](const auto& s) { check_step(*plan, s); }, step);
      check_sharing(*plan);
    });
    INFO(row->id);
    CHECK((supported >= 5 || row->vendor));  // what a vendor takes, its own tests say
  }
}

TEST_CASE("a kernel's text is the same whether its sizes are constants or handed over") {
  for (const Algorithm* row : testing::gpu_rows()) {
    if (std::ranges::find(row->options, "sizes", &Option::id) == row->options.end()) continue;
    for_requests(*row, [&](Request request) {
      request.options.set("sizes", "constant");
      const auto fixed = row->plan(request);
      request.options.set("sizes", "runtime");
      const auto open = row->plan(request);
      INFO(open->run_name());
      REQUIRE(fixed->program()->steps.size() == open->program()->steps.size());
      for (std::size_t k = 0; k < fixed->program()->steps.size(); ++k) {
        const auto* a = std::get_if<Launch>(&fixed->program()->steps[k]);
        const auto* b = std::get_if<Launch>(&open->program()->steps[k]);
        REQUIRE((a == nullptr) == (b == nullptr));
        if (a == nullptr) continue;
        CHECK(without_prologue(source(a->kernel)) == without_prologue(source(b->kernel)));
        CHECK(source(a->kernel) != source(b->kernel));
        CHECK(sizes_parameter(a->kernel).size() == 1);
        CHECK(sizes_parameter(b->kernel).size() == 4 * b->kernel.sizes.size());
        CHECK(a->kernel.entry == b->kernel.entry);
      }
    });
  }
}

TEST_CASE("blocks that leave a gap, overlap, or reach beyond the result are found") {
  const auto shared_out = [](std::function<std::vector<Box>(const Dim3&)> tiles) {
    Launch launch{.sentence = "s", .kernel = {}, .grid = {2, 2}, .block = {32}, .arguments = {}};
    launch.tiles = std::move(tiles);
    return sharing_complaint({Request{layers()[0]}, {launch}}, "y", {1, 2, 4, 3});
  };
  const auto tile = [](std::int64_t c, std::int64_t h, std::int64_t rows) {
    return std::vector<Box>{{{0, c, h, 0}, {1, 1, rows, 3, 1, 1}}};
  };
  CHECK(shared_out([&](const Dim3& b) { return tile(b.x, 2 * b.y, 2); }) == "");
  CHECK(shared_out([&](const Dim3& b) { return tile(b.x, 2 * b.y, 1); }) == "cell 3 of y is computed 0 times");
  CHECK(shared_out([&](const Dim3& b) { return tile(b.x, b.y, 3); }) == "cell 3 of y is computed 2 times");
  CHECK(shared_out([&](const Dim3& b) { return tile(b.x, 2 * b.y, 3); }) == "a tile reaches beyond y");
}

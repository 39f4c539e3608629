// winograd.ref: transform tiles of x and the filter, multiply point by point, transform back.
//
//   V = B_hᵀ d B_w     every n_h×n_w tile d of x, channel by channel       stored, n_h·n_w·N·tiles·C_i
//   U = G_h g G_wᵀ     every filter g                                      stored, n_h·n_w·C_o·C_i/G
//   M = Σ_c U ⊙ V      n_h·n_w matrix products                             stored, n_h·n_w·N·tiles·C_o
//   Y = A_hᵀ M A_w     m_h×m_w outputs a tile; bias added; rounded once
//
// Source: Lavin & Gray 2016 (arXiv 1509.09308), the non-fused form. m²·9 multiplications of a 3×3 filter
// become (m + 2)²: 36 become 16 with m = 2, 144 become 36 with m = 4. In exchange the rounding errors grow,
// exponentially with n.
//
// f16 and bf16: transforms, products, sums and the output in f32; only x, w and y are in the short type. With
// stored=tensor V and U are too, as tensor cores need them, times a power of two that keeps every finite f16
// input finite (nested.h); rounding them is what makes FP16 Winograd inaccurate.
#include "algorithms/winograd/winograd.h"

#include "algorithms/problem/checked.h"
#include "algorithms/winograd/nested.h"
#include "algorithms/winograd/winograd_error.h"
#include "algorithms/winograd/winograd_passes.h"
#include "algorithms/winograd/winograd_rules.h"
#include "algorithms/winograd/winograd_stages.h"

namespace convlens {

namespace {

// All that is executed, on padding and for overhanging outputs too. A row of a transform with e non-zero
// coefficients makes e multiplications, e − 1 additions and a division; a product is a multiplication and an
// addition, as in direct-equivalent FLOPs, and the bias is not counted, as there.
std::int64_t executed_flops(const ConvProblem& p, const Nested& f) {
  if (p.n() == 0) return 0;
  const Transforms<float> transforms(f);
  const auto product = [](std::initializer_list<std::int64_t> factors) {
    return checked::product("executed FLOPs", factors);
  };
  return checked::sum("executed FLOPs", {product({p.n(), f.tiles(), p.ci(), transforms.input.flops()}),
                                         product({p.co(), p.ci_per_group(), transforms.filter.flops()}),
                                         product({2, f.products(), p.n(), f.tiles(), p.co(), p.ci_per_group()}),
                                         product({p.n(), f.tiles(), p.co(), transforms.output.flops()})});
}

template <class T, class S>
void run(const ConvProblem& p, const Nested& f, const Arguments& a, const Workspace& workspace, int threads) {
  S* const v = workspace.get<S>("V");
  S* const u = workspace.get<S>("U");
  Accumulator<T>* const m = workspace.get<Accumulator<T>>("M");
  const Transforms<Accumulator<T>> transforms(f);
  transform_input<T, S>(f, transforms.input, a.x.as<T>(), v, threads);
  transform_filter<T, S>(f, transforms.filter, a.w.as<T>(), u, threads);
  multiply<S>(f, p, v, u, m, threads);
  transform_output<T>(f, transforms.output, m, a.bias.as<T>(), a.y.as<T>(), threads);
}

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  const auto nested = std::make_shared<const Nested>(nest(request));
  Decisions d;
  const DType stored = stored_type(request);
  d.stages = winograd_stages(problem, stored, nested);
  d.executed_flops = executed_flops(problem, *nested);
  d.error_model = winograd_error_model(problem, stored, nested);
  d.notes = {nested->name() + " " + nested->points()};
  d.execute = [=](const Arguments& a, const Workspace& workspace, int threads, Stream) {
    visit(a.y.dtype, [&]<class T>() {
      if (stored == a.y.dtype)
        run<T, T>(problem, *nested, a, workspace, threads);
      else
        run<T, Accumulator<T>>(problem, *nested, a, workspace, threads);
    });
  };
  return d;
}

}  // namespace

std::string winograd_matrices(const Request& request) {
  const Request asked = winograd_ref().plan(request)->request();  // with every option filled in
  const Nested f = nest(asked);
  if (f.w.n() == 1 || (f.h.m == f.w.m && f.h.r == f.w.r)) return text(f.h);
  return f.h.n() == 1 ? text(f.w) : "rows: " + text(f.h) + "columns: " + text(f.w);
}

const Algorithm& winograd_ref() {
  static const Algorithm row{
      .id = "winograd.ref",
      .family = "winograd",
      .unit = Unit::cpu,
      .title = "Winograd, non-fused",
      .sentence = "Transforms tiles of the input and the filter, so that fewer products make up the output.",
      .source = "Lavin & Gray 2016, arXiv 1509.09308",
      .options = winograd_options(),
      .rules = winograd_rules(),
      .decide = decide,
  };
  return row;
}

}  // namespace convlens

// direct.ref: the seven loops.
//
//   y(n, o, p, q) = bias(o) + Σ_c Σ_u Σ_v x(n, c, p·s_h + u·d_h − p_top, q·s_w + v·d_w − p_left) · w(o, c, u, v)
//
// Source: the definition (cross-correlation, as in Dumoulin & Visin, "A guide to convolution arithmetic for deep
// learning", arXiv 1603.07285). Nothing is copied and nothing is stored; every other algorithm must agree with this.
#include "algorithms/direct/direct.h"
#include "algorithms/interface/tensor_maps.h"

namespace convlens {

namespace {

template <class T>
void seven_loops(const ConvProblem& p, View<const T> x, View<const T> w, Bias<T> bias, View<T> y, int threads) {
  using Sum = Accumulator<T>;
#pragma omp parallel for collapse(3) num_threads(threads)
  for (std::int64_t n = 0; n < p.n(); ++n)
    for (std::int64_t o = 0; o < p.co(); ++o)
      for (std::int64_t row = 0; row < p.ho(); ++row)
        for (std::int64_t column = 0; column < p.wo(); ++column) {
          const std::int64_t first_channel = p.group_of_output(o) * p.ci_per_group();
          Sum sum = bias[o];
          for (std::int64_t c = 0; c < p.ci_per_group(); ++c)
            for (std::int64_t u = 0; u < p.hf(); ++u)
              for (std::int64_t v = 0; v < p.wf(); ++v) {
                // Padding is a real zero that is multiplied like any other value: 0·Inf is NaN.
                const Sum pixel = x.padded(n, first_channel + c, p.input_row(row, u), p.input_column(column, v));
                sum += pixel * static_cast<Sum>(w(o, c, u, v));
              }
          y(n, o, row, column) = static_cast<T>(sum);
        }
}

Decisions decide(const Request& request) {
  const ConvProblem problem = request.problem;
  Decisions d;
  d.stages = {input_stage(problem, request.dtype)};
  d.executed_flops = problem.flops();
  d.error_model = plain_sum_model(problem, request.dtype);
  d.execute = [problem](const Arguments& a, const Workspace&, int threads, Stream) {
    visit(a.y.dtype,
          [&]<class T>() { seven_loops<T>(problem, a.x.as<T>(), a.w.as<T>(), a.bias.as<T>(), a.y.as<T>(), threads); });
  };
  return d;
}

}  // namespace

const Algorithm& direct_ref() {
  static const Algorithm row{
      .id = "direct.ref",
      .family = "direct",
      .unit = Unit::cpu,
      .title = "Direct, the seven loops",
      .sentence = "Reads x and w where they are; copies nothing.",
      .source = "Dumoulin & Visin 2016, arXiv 1603.07285",
      .options = {},
      .rules = {},
      .decide = decide,
  };
  return row;
}

}  // namespace convlens

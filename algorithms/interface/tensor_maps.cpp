#include "algorithms/interface/tensor_maps.h"

namespace convlens {

Stage input_stage(const ConvProblem& p, DType dtype) {
  Stage stage;
  stage.id = "input";
  stage.title = "input x";
  stage.meaning = "the input itself, read where it is";
  stage.made_from = {kInput};
  stage.axes = {{"n", "N", p.n(), p.n()},
                {"c", "C_i", p.ci(), p.ci()},
                {"h", "H_i", p.hi(), p.hi()},
                {"w", "W_i", p.wi(), p.wi()}};
  stage.dtype = dtype;
  stage.stored = false;
  stage.map = erase(InputMap(p));
  stage.lay_out();
  return stage;
}

Stage filter_stage(const ConvProblem& p, DType dtype, const std::vector<int>& columns) {
  Stage stage;
  stage.id = "filter";
  stage.title = "filter matrix";
  stage.meaning = "the filter with one row an output channel, its columns in the order of the lowered input";
  stage.made_from = {kFilter};
  const std::int64_t c = p.ci_per_group();
  stage.axes = {{"o", "C_o", p.co(), p.co()},
                {"c", p.groups() == 1 ? "C_i" : "(C_i/groups)", c, c},
                {"u", "H_f", p.hf(), p.hf()},
                {"v", "W_f", p.wf(), p.wf()}};
  stage.dtype = dtype;
  stage.map = erase(FilterMap(p));
  stage.lay_out({0, columns[0], columns[1], columns[2]});
  return stage;
}

}  // namespace convlens

#include "algorithms/check/trial.h"

#include <exception>

namespace convlens {

Trial::Trial(std::shared_ptr<const Plan> plan, const Inputs& inputs, Spacing spacing)
    : plan_(std::move(plan)),
      x_(inputs.x.dtype(), plan_->request().layouts.x, inputs.x.shape(), spacing),
      w_(inputs.w.dtype(), plan_->request().layouts.w, inputs.w.shape(), spacing),
      bias_(inputs.bias.dtype(), Layout::NCHW, inputs.bias.shape(), spacing),
      y_(plan_->request().dtype, plan_->request().layouts.y, plan_->problem().y_shape(), spacing),
      workspace_(plan_->workspace_bytes(), plan_->request().place) {
  convert(inputs.x.view(), x_.view());
  convert(inputs.w.view(), w_.view());
  convert(inputs.bias.view(), bias_.view());
  x_.remember();
  w_.remember();
  bias_.remember();
  const Place place = plan_->request().place;
  x_there_.emplace(place, x_.memory());
  w_there_.emplace(place, w_.memory());
  bias_there_.emplace(place, bias_.memory());
  y_there_.emplace(place, y_.memory());
}

void Trial::notice(bool happened, const std::string& what) {
  if (happened && fault_.empty()) fault_ = what;
}

std::vector<double> Trial::run() {
  Arguments arguments{x_there_->view(x_.view()), w_there_->view(w_.view()), {}, y_there_->view(y_.view())};
  if (plan_->problem().bias()) arguments.bias = as_bias(bias_there_->view(bias_.view()));
  try {
    plan_->run(arguments, workspace_.inside());
    wait_for(plan_->request().place);
    x_there_->download(x_.memory());
    w_there_->download(w_.memory());
    bias_there_->download(bias_.memory());
    y_there_->download(y_.memory());
  } catch (const std::exception& error) {
    notice(true, std::string("threw: ") + error.what());
  }
  notice(!x_.unchanged(), "wrote into x");
  notice(!w_.unchanged(), "wrote into w");
  notice(!bias_.unchanged(), "wrote into bias");
  notice(!y_.surroundings_untouched(), "wrote outside y");
  notice(!workspace_.margins_untouched(), "wrote outside the workspace");

  const Tensor y = converted(y_.view(), DType::f64, Layout::NCHW);
  return {y.as<double>().data, y.as<double>().data + y.size()};
}

}  // namespace convlens

#include "cli/arguments.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "algorithms/measure/device.h"
#include "algorithms/measure/machine.h"
#include "algorithms/problem/layers.h"
#include "algorithms/problem/parse.h"
#include "algorithms/suggest.h"
#include "cli/numbers.h"

namespace convlens::cli {

namespace {

// A layer that is written out starts with a number, if a negative one, or with a number behind one of benchdnn's
// prefixes.
bool written_out(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && std::islower(static_cast<unsigned char>(text[at]))) ++at;
  const std::string_view prefix = text.substr(0, at);
  if (at < text.size() && text[at] == '-') ++at;
  const bool number = at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  return text.find(' ') != std::string_view::npos ||
         (number && (prefix.empty() || prefix == "mb" || prefix == "g" || prefix == "ic"));
}

std::vector<NamedLayer> find_layers(const std::string& name) {
  const std::vector<std::string> suites = layer_suites();
  if (std::ranges::find(suites, name) != suites.end()) return find_suite(name);
  std::vector<std::string> names = suites;
  for (const NamedLayer& layer : named_layers()) {
    if (layer.name == name) return {layer};
    names.push_back(layer.name);
  }
  throw BadInput("layer: " + name +
                 suggestion(name, names,
                            "a layer or suite of `convlens list layers`, or a problem as in 1x64x56x56 "
                            "--filter 64x3x3"));
}

// `spec` with what `written` says, as in " --stride 2 --pad 1", in the place of what it has there.
ConvSpec with_parts(const ConvSpec& spec, const std::string& written) {
  std::istringstream own(to_text(spec));
  std::string text, word;
  for (bool kept = true; own >> word;) {
    if (word.starts_with("--")) kept = (written + " ").find(" " + word + " ") == std::string::npos;
    if (kept) text += word + " ";
  }
  return parse_spec(text + written);
}

}  // namespace

std::string Layer::text() const {
  if (name.empty()) return to_text(problem.spec());
  return name + (problem.n() == 1 ? "" : " N=" + std::to_string(problem.n()));
}

void LayerArguments::add_to(Command& command, Amount amount) {
  const std::string group = "Layers",
                    written_group =
                        "Parts of a layer, after LAYER = N×C_i×H_i×W_i or in the place of a named one's own";
  const std::string named = amount == Amount::one ? "a layer" : "a layer, a suite,";
  command.text("LAYER", names_, "", named + " or a problem in quotes: '1x64x56x56 --filter 64x3x3 --pad 1'");
  limit(command.text("--layer", named_, "NAME", "a layer, as LAYER"), amount).group(group);
  if (amount == Amount::many)
    command.text("--suite", suites_, "NAME", "all layers of a suite, as in cv").repeated().group(group);
  command
      .integer(
          "--batch", 0, std::int64_t{1} << 40, [this](std::int64_t n) { batch_ = n; },
          usual_batch_ == 1 ? "N, the batch size"
                            : "N, the batch size; " + std::to_string(usual_batch_) + " when left out")
      .group(group);
  const auto add_part = [&](const std::string& option, const std::string& type, const std::string& sentence) {
    command
        .text(
            option, [this, option](const std::string& value) { written_ += " " + option + " " + value; }, type,
            sentence)
        .group(written_group);
  };
  add_part("--filter", "CxHxW", "C_o×H_f×W_f");
  add_part("--stride", "S|HxW", "stride, 1 when left out");
  add_part("--pad", "P|HxW|TxBxLxR", "zero padding, 0 when left out");
  add_part("--dilation", "D|HxW", "dilation, 1 when left out");
  add_part("--groups", "COUNT", "groups of channels, 1 when left out");
  command
      .flag(
          "--bias", [this] { bias_ = true, written_ += " --bias"; }, "add a bias")
      .group(written_group);
  command.flag("--no-bias", no_bias_, "without the bias that the layer of a state has").group(written_group);
}

void LayerArguments::when_left_out(std::string suite, std::int64_t batch) {
  usual_suite_ = std::move(suite), usual_batch_ = batch;
}

void LayerArguments::when_left_out(const NamedByState& state) {
  if (!given()) usual_ = state.layer();
}

std::vector<Layer> LayerArguments::layers() const {
  std::vector<Layer> layers;
  const auto add = [&](const std::string& name, ConvSpec spec) {
    if (!name.empty()) spec.n = usual_batch_;
    if (batch_) spec.n = *batch_;
    layers.push_back({name, ConvProblem(spec)});
  };
  // With the parts that are given, which make another layer of it.
  const auto add_named = [&](const NamedLayer& layer) {
    const ConvSpec spec = with_parts(layer.spec, written_);
    add(layer.name, spec);
    if (spec != layer.spec) layers.back().name = "";
  };
  std::vector<std::string> names = names_;
  names.insert(names.end(), named_.begin(), named_.end());
  if (bias_ && names.size() == 2 && names[1].find_first_not_of("0123456789") == std::string::npos)
    throw BadInput("--bias: " + names[1] + ", must have no value");
  if (no_bias_ && bias_) throw BadInput("--no-bias: given with --bias, must be one of them");
  if (no_bias_ && !usual_) throw BadInput("--no-bias: given with a layer, must go with that of a state");
  const auto must_be_one = [&](std::size_t count) {
    if (!written_.empty() && count != 1)
      throw BadInput("layer:" + written_ +
                     ", must go with exactly one layer, as in 1x64x56x56 --filter 64x3x3 or cv9 --stride 2");
  };
  if (!usual_) must_be_one(names.size() + suites_.size());
  for (const std::string& name : names) {
    if (written_out(name))
      add("", parse_spec(name + written_));
    else
      for (const NamedLayer& layer : find_layers(name)) add_named(layer);
  }
  for (const std::string& suite : suites_)
    for (const NamedLayer& layer : find_suite(suite)) add_named(layer);
  if (names.empty() && suites_.empty() && usual_) {
    ConvSpec own = usual_->problem.spec();
    own.bias = own.bias && !no_bias_;
    const ConvSpec spec = with_parts(own, written_);
    add("", spec);
    if (spec == usual_->problem.spec()) layers.back().name = usual_->name;
  }
  if (!given() && !usual_suite_.empty())
    for (const NamedLayer& layer : find_suite(usual_suite_)) add_named(layer);
  must_be_one(layers.size());
  return layers;
}

const Parameter& limit(const Parameter& parameter, Amount amount) {
  return amount == Amount::many ? parameter.repeated() : parameter.once();
}

Request make_request(const ConvProblem& problem, DType dtype, const Layouts& layouts, const OptionSet& options,
                     Place place, const Globals& globals) {
  Request request{problem, dtype, layouts, options, place};
  request.threads = globals.threads;
  request.memory_limit = globals.memory_limit;
  const std::int64_t memory =
      place.kind == Place::Kind::host ? machine().memory : convlens::device(place).facts().memory;
  if (!request.memory_limit && memory > 0) request.memory_limit = memory;
  return request;
}

}  // namespace convlens::cli

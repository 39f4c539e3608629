// The named layers: cv1–cv12 of the im2win papers, and the convolutions of well-known networks.
//
// They are data, not code: every file in algorithms/problem/layers/ is a suite ("cv", "alexnet", …); each line is a
// name, a layer in the form of parse.h and, where a network has several equal layers, how many: `×3`. Lines that begin
// with # are comments. The build embeds the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem/conv_problem.h"

namespace convlens {

struct NamedLayer {
  std::string name;          // "cv9", "resnet50.conv3_1_3x3"
  std::string suite;         // "cv"
  ConvSpec spec;             // with the batch size 1
  std::int64_t repeats = 1;  // how many equal ones the network has
};

// All of them, suite by suite.
const std::vector<NamedLayer>& named_layers();

std::vector<std::string> layer_suites();

// Throws BadInput with the closest name.
const NamedLayer& find_layer(std::string_view name);
std::vector<NamedLayer> find_suite(std::string_view suite);

}  // namespace convlens

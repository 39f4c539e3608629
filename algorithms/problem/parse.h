// Layers written as text: one line says everything, and the same line is what layer files, the command line and
// reproduction lines use.
//
//   128x64x56x56 --filter 64x3x3 --stride 2 --pad 1      N×C_i×H_i×W_i, C_o×H_f×W_f
//   --stride 2x1 (h×w)   --pad 1x2 (h×w) or 0x1x2x3 (top×bottom×left×right)   --dilation 2   --groups 4   --bias
//   mb128ic64ih56oc64kh3ph1                              benchdnn's form: mb g ic ih iw oc oh ow kh kw sh sw ph pw dh
//   dw
//
// Benchdnn's form means what it means to benchdnn: without mb the batch is 2, dilation 0 is none, a layer without
// w entries is square, and a name at the end (n"…") is read over (parse_benchdnn.cpp has all its rules).
#pragma once

#include <string>
#include <string_view>

#include "algorithms/problem/conv_problem.h"

namespace convlens {

// Parses either form. Throws BadInput that names the part that is wrong, its value and the rule.
// The result is not yet checked against the rules of a layer: ConvProblem's constructor does that.
ConvSpec parse_spec(std::string_view text);

// The first form, shortest: what is at its default is left out. parse_spec(to_text(s)) == s.
std::string to_text(const ConvSpec& spec);

}  // namespace convlens

// One output in numbers: what it should be, what it is, and the products that it is the sum of.
#include <cmath>

#include "viewer/panels/numerics/numerics.h"
#include "viewer/ui/words.h"

namespace convlens::viewer {

namespace {

constexpr std::size_t kShown = 8;

std::string tuple(const Shape& at) {
  std::string text;
  for (const std::int64_t index : at) text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "(" + text + ")";
}

void draw_terms(const ElementTerms& terms) {
  if (!ImGui::BeginTable("terms", 4, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH)) return;
  ImGui::TableSetupColumn("tap (c, u, v)", 0, 1.3f);
  ImGui::TableSetupColumn("x", 0, 1);
  ImGui::TableSetupColumn("w", 0, 1);
  ImGui::TableSetupColumn("x·w", 0, 1);
  ImGui::TableHeadersRow();
  for (std::size_t k = 0; k < std::min(kShown, terms.terms.size()); ++k) {
    const SumTerm& term = terms.terms[k];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::Text("%lld, %lld, %lld", static_cast<long long>(term.c), static_cast<long long>(term.u),
                static_cast<long long>(term.v));
    for (const double value : {term.x, term.weight, term.product()}) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(number_text(value).c_str());
    }
  }
  ImGui::EndTable();
}

// How far an output is off, or why that is no number.
std::string off_by(const Numerics& cell, std::size_t number) {
  const double y = cell.y[number], right = cell.right[number], error = cell.error[number];
  if (std::isnan(error))
    return std::isfinite(right) ? "too large for " + std::string(name(cell.dtype))
                                : "both are no numbers, as they must";
  if (!std::isfinite(error)) return "only one of the two is a number";
  const std::string off = "off by " + number_text(std::abs(y - right), 3);
  return error == 0 ? off : off + ", that is " + number_text(error, 3) + " u·Σ|x||w|";
}

std::string sum_of(const ElementTerms& terms, bool bias) {
  std::string text = "Terms > 0 sum up to " + number_text(terms.positive) + ", those < 0 to " +
                     number_text(terms.negative) + (bias ? ", bias " + number_text(terms.bias) : "");
  if (terms.positive == 0 && terms.negative == 0) return text + ": all terms are 0.";
  if (std::isnan(terms.cancellation)) return text + ": Σ|x||w| is no number, nor is y.";
  return text + "; Σ|x||w| is " + number_text(terms.cancellation, 3) + " times |y|.";
}

}  // namespace

void draw_element(Scene& scene, const NumericsTable& table) {
  if (!table.computed()) return;
  const Numerics& cell = *table.front();
  const ConvProblem& p = table.specimen.problem;
  const Shape at = shown_element(scene.state, table);
  const std::size_t number = output_number(at, p.y_shape());
  const bool worst = number == cell.worst && cell.error[number] > 0;
  wrapped_text("y" + tuple(at) + (worst ? ", the worst," : "") + " = " + number_text(cell.y[number], 9) + ", right " +
               number_text(cell.right[number], 9) + ": " + off_by(cell, number));
  const Inputs& inputs = cell.material->struck ? cell.material->struck->inputs : cell.material->plain.inputs;
  const ElementTerms terms = terms_of(p, inputs, at);
  faint_text(sum_of(terms, p.bias()));
  draw_terms(terms);
  if (terms.terms.size() > kShown)
    faint_text("and " + counted(static_cast<std::int64_t>(terms.terms.size() - kShown), "smaller one"));
}

}  // namespace convlens::viewer

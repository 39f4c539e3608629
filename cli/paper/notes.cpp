#include "cli/paper/notes.h"

#include <algorithm>

namespace convlens::cli::paper {

namespace {

std::string joined(const std::vector<std::string>& layers) {
  std::string text;
  for (const std::string& layer : layers) text += (text.empty() ? "" : ", ") + layer;
  return text;
}

// "F(5x5,3x3)" with signs of multiplication.
std::string written(std::string transform) {
  for (std::size_t at = transform.find('x'); at != std::string::npos; at = transform.find('x', at))
    transform.replace(at, 1, "×");
  return transform;
}

}  // namespace

std::optional<std::string> Gaps::refusal(const Contender& contender, const std::string& layer) const {
  if (!is_cudnn(contender)) {
    const Resolved resolved = resolve(contender);
    if (!resolved.run) return std::nullopt;
    const Support support = resolved.run->algorithm->supports(contender.request(*resolved.run, results_.spec(layer)));
    return support ? std::nullopt : std::optional(support.reason);
  }
  // `convlens paper`, whose records know the device's bytes, tries all of cuDNN's algorithms of a type and layout
  // together: where one has a record, one without was refused. cuDNN's sentence is in no record.
  const bool tried = std::ranges::any_of(contenders(), [&](const Contender& other) {
    if (!is_cudnn(other) || other.dtype != contender.dtype || other.layout != contender.layout) return false;
    const auto result = results_.find(layer, other.name);
    return result && result->device_bytes;
  });
  return tried ? std::optional<std::string>("") : std::nullopt;
}

void Gaps::add(const std::string& name) {
  const auto contender = std::ranges::find(contenders(), name, &Contender::name);
  if (contender == contenders().end()) return;
  std::map<std::optional<std::string>, std::vector<std::string>> layers;  // by refusal
  for (const std::string& layer : results_.layers())
    if (!results_.find(layer, name)) layers[refusal(*contender, layer)].push_back(layer);
  for (const auto& [sentence, missing] : layers) {
    const bool everywhere = missing.size() == results_.layers().size();
    if (sentence)
      notes_.push_back(name + " refused " + (everywhere ? "every layer" : joined(missing)) +
                       (sentence->empty() ? "" : ": " + *sentence));
    else if (!everywhere)
      notes_.push_back(name + " has no record of " + joined(missing));
  }
}

void Changes::add(const std::string& layer, const Result& result) {
  if (!result.today.empty()) layers_[result.contender][{result.transform, result.today}].push_back(layer);
}

std::vector<std::string> Changes::notes() const {
  std::vector<std::string> notes;
  for (const auto& [contender, changes] : layers_) {
    std::string text;
    for (const auto& [change, layers] : changes)
      text += (text.empty() ? "" : "; ") + written(change.first) + " on " + joined(layers) + " (today " +
              written(change.second) + ")";
    notes.push_back(contender + " as it was when recorded, and not as the row chooses today: " + text);
  }
  return notes;
}

}  // namespace convlens::cli::paper

// Undo and redo: the states that there were, and which of them is now.
#include <utility>

#include "viewer/logic/state.h"

namespace convlens::viewer {

namespace {

constexpr std::size_t kMostKept = 1000;

}  // namespace

bool same_but_for_cursor(const State& a, const State& b) {
  State moved = a;
  moved.cursor = b.cursor;
  return moved == b;
}

void History::change(State next, const std::string& key) {
  if (same_but_for_cursor(next, now())) {
    states_[at_].cursor = std::move(next.cursor);
    return;
  }
  const bool same_step = !key.empty() && key == key_ && at_ > 0;
  states_.resize(at_ + 1);
  if (same_step && same_but_for_cursor(next, states_[at_ - 1])) {  // what was typed is taken back: nothing to undo
    states_.pop_back();
    states_[--at_].cursor = std::move(next.cursor);
    key_.clear();
    return;
  }
  if (same_step)
    states_[at_] = std::move(next);
  else
    states_.push_back(std::move(next));
  if (states_.size() > kMostKept) states_.erase(states_.begin());
  at_ = states_.size() - 1;
  key_ = key;
}

void History::undo() { go_to(can_undo() ? at_ - 1 : at_); }

void History::redo() { go_to(can_redo() ? at_ + 1 : at_); }

void History::go_to(std::size_t at) {
  const Cursor cursor = now().cursor;
  at_ = at;
  states_[at_].cursor = cursor;
  key_.clear();
}

}  // namespace convlens::viewer

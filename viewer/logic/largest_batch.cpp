// The largest batch N that fits, found with as few large plans as can be: the largest N of a search that doubles and
// halves, but begun at guesses, each of which is held against its plan.
//
// A plan costs what its program is long, and a row that works piece by piece has up to kMostPieces of them. So nothing
// is concluded from a guess, and yet most searches end with two plans:
//
//   tensors alone    a row that needs nothing besides fits as long as x, w and y do
//   fixed pieces     of c images: kMostPieces · c
//   pieces that fit  as large as memory allows, at least ⌈N / kMostPieces⌉ images: the largest N for which the
//   workspace
//                    of so small a batch has room beside the tensors of N images
#include <algorithm>
#include <limits>

#include "algorithms/error.h"
#include "kernels/common/pieces.h"
#include "viewer/logic/memory.h"
#include "viewer/logic/planned.h"

namespace convlens::viewer {

namespace {

class Search {
 public:
  Search(const ChosenRow& row, std::int64_t limit, const std::function<bool()>& stop)
      : row_(row), limit_(limit), stop_(stop), bad_(most_of_tensors() + 1) {}

  std::int64_t largest() {
    try_near(bad_ - 1);
    if (open() && row_.plan->program() != nullptr) {
      try_near(of_fixed_pieces());
      try_near(of_fitting_pieces());
    }
    while (open() && good_ < bad_ / 2) try_batch(std::max<std::int64_t>(1, 2 * good_));
    do {
      while (open()) try_batch(good_ + (bad_ - good_) / 2);
    } while (fits_beyond());
    return good_;
  }

 private:
  bool open() const { return !stop_() && bad_ - good_ > 1; }

  // Takes over what the plan says, for a batch of which it is not yet known.
  void try_batch(std::int64_t batch) {
    if (batch > good_ && batch < bad_) (planned(row_, batch, limit_).plan ? good_ : bad_) = batch;
  }

  // A row that rounds its pieces to the memory that is left may fit again behind a batch that does not. Then the search
  // goes on from there.
  bool fits_beyond() {
    constexpr std::int64_t kFar = 1024;
    const std::int64_t all = most_of_tensors() + 1;
    for (std::int64_t step = 2; !stop_() && step <= kFar && step < all - good_; step *= 8) {
      bad_ = all;
      try_batch(good_ + step);
      if (bad_ < all) continue;
      for (std::int64_t more = 1; open() && more < bad_ - good_; more *= 2) try_batch(good_ + more);
      return true;
    }
    return false;
  }

  // One more first: where that is too much, which costs no program, the batch itself is all that is left to ask.
  void try_near(std::int64_t batch) {
    for (const std::int64_t asked : {batch + 1, batch})
      if (open()) try_batch(asked);
  }

  std::int64_t tensor_bytes(std::int64_t images) const {
    Request request = row_.request;
    request.problem = request.problem.with_batch(images);
    return request.tensor_bytes();
  }

  // fixed + N · image ≤ limit.
  std::int64_t most_of_tensors() const {
    const std::int64_t image = tensor_bytes(1) - tensor_bytes(0), fixed = tensor_bytes(0);
    return limit_ < fixed ? 0 : (limit_ - fixed) / image;
  }

  // From the number of pieces of a batch that has some; 0 where it has not.
  std::int64_t of_fixed_pieces() const {
    constexpr std::int64_t kSome = 1024;
    const std::int64_t batch = std::min(kSome, bad_ - 1);
    const Planned some = planned(row_, batch, limit_);
    std::int64_t pieces = 1;
    if (some.plan)
      for (const Stage& stage : some.plan->stages()) pieces = std::max(pieces, stage.passes());
    return pieces == 1 ? 0 : (batch + pieces - 1) / pieces * gpu::kMostPieces;
  }

  std::int64_t of_fitting_pieces() const {
    constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
    const auto fits = [&](std::int64_t batch) {
      const Planned piece = planned(row_, (batch + gpu::kMostPieces - 1) / gpu::kMostPieces, kNoLimit);
      return piece.plan && piece.plan->workspace_bytes() <= limit_ - tensor_bytes(batch);
    };
    std::int64_t good = 0, bad = bad_;
    while (!stop_() && bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (fits(middle) ? good : bad) = middle;
    }
    return good;
  }

  const ChosenRow& row_;
  const std::int64_t limit_;
  const std::function<bool()>& stop_;
  std::int64_t good_ = 0;  // fits, or is 0
  std::int64_t bad_ = 0;   // does not
};

}  // namespace

std::int64_t largest_batch(const ChosenRow& row, std::int64_t limit, const std::function<bool()>& stop) {
  return row.plan ? Search(row, limit, stop).largest() : 0;
}

}  // namespace convlens::viewer

// Work done in the background, so that a frame never waits for values that take long to compute: pictures, painted
// coarse first, and anything else that a frame asks for again until it is there.
#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace convlens::viewer {

// The colour, or the text, of pixel (x, y). Called by another thread: they must own what they read.
using PixelColour = std::function<std::uint32_t(int x, int y)>;
using PixelText = std::function<std::string(int x, int y)>;

// One picture being painted; rows and columns that aren't done yet repeat those that are.
struct Painting {
  std::string key;
  int width = 0, height = 0;
  int grain = 1;  // the last pass paints every so many pixels; those between repeat them
  PixelColour colour;
  PixelText text;  // may be empty

  std::atomic<bool> wanted{true};  // false: nobody looks at it any more
  std::atomic<int> passes{0};      // how many of its passes are done
  std::mutex mutex;                // of what follows
  std::vector<std::uint32_t> pixels;
  std::vector<std::string> texts;  // a pixel each, with the last pass, where there is `text`

  static constexpr int kCoarsest = 8;  // the first pass: every 8th pixel; then every 4th, 2nd, 1st, down to the grain
  int all_passes() const { return std::bit_width(static_cast<unsigned>(kCoarsest / grain)); }
  bool done() const { return passes == all_passes(); }
};

class Painter {
 public:
  Painter();
  ~Painter();

  // Starts a picture. What was asked for last is done first.
  std::shared_ptr<Painting> start(std::string key, int width, int height, PixelColour colour, PixelText text = nullptr,
                                  int grain = 1);

  // Does any other work.
  void later(std::function<void()> work);

  // What went wrong in the background since it was last asked, or "".
  std::string take_failure();

  bool busy() const { return unfinished_ > 0; }
  bool stopping() const { return stop_; }  // it is being destroyed, and waits for what it is at

  // Waits until nothing is left to do; false where it is `interrupted` before.
  bool finish(const std::function<bool()>& interrupted);

 private:
  void work();
  void paint(Painting& painting) const;

  std::mutex mutex_;
  std::condition_variable more_, less_;
  std::deque<std::function<void()>> queue_;
  std::atomic<int> unfinished_{0};
  std::atomic<bool> stop_{false};
  std::string failure_;
  std::thread thread_;
};

// A value that is computed in the background when its key changes. Until the new one is there, the last one stands.
template <class T>
class Later {
 public:
  // Null before the first value is there. `compute` must own what it reads. What takes long takes a function that says
  // whether it is in vain by now.
  template <class Compute>
  const T* get(const std::string& key, Painter& painter, Compute compute) {
    if (!asked_ || asked_->key != key) {
      if (asked_) asked_->wanted = false;
      asked_ = std::make_shared<Job>();
      asked_->key = key;
      painter.later([job = asked_, &painter, compute = std::move(compute)] {
        if (!job->wanted) return;
        const std::function<bool()> in_vain = [&] { return !job->wanted || painter.stopping(); };
        if constexpr (std::is_invocable_v<Compute, const std::function<bool()>&>)
          job->value = compute(in_vain);
        else
          job->value = compute();
        job->done = true;
      });
    }
    if (asked_->done) answered_ = asked_;
    return answered_ ? &*answered_->value : nullptr;
  }

  // What was asked for and is not there yet is in vain.
  void leave() {
    if (!asked_ || asked_->done) return;
    asked_->wanted = false;
    asked_.reset();
  }

 private:
  struct Job {
    std::string key;
    std::atomic<bool> wanted{true}, done{false};
    std::optional<T> value;  // before `done`, the worker's alone
  };
  std::shared_ptr<Job> asked_, answered_;
};

}  // namespace convlens::viewer

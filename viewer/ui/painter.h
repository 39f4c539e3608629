// Pictures painted in the background, coarse first, so that a frame never waits for values that take long to compute.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace convlens::viewer {

// The colour of pixel (x, y). Called by another thread: it must own what it reads.
using PixelColour = std::function<std::uint32_t(int x, int y)>;

// One picture being painted; rows and columns that aren't done yet repeat those that are.
struct Painting {
  std::string key;
  int width = 0, height = 0;
  PixelColour colour;

  std::atomic<bool> wanted{true};  // false: nobody looks at it any more
  std::atomic<int> passes{0};      // how many of its passes are done; kPasses: all
  std::mutex mutex;                // of `pixels`
  std::vector<std::uint32_t> pixels;

  static constexpr int kPasses = 4;  // every 8th, 4th, 2nd pixel, every pixel
  bool done() const { return passes == kPasses; }
};

class Painter {
 public:
  Painter();
  ~Painter();

  // Starts a picture. The newest is painted first.
  std::shared_ptr<Painting> start(std::string key, int width, int height, PixelColour colour);

  bool busy() const { return unfinished_ > 0; }
  void finish();  // waits until nothing is left to paint

 private:
  void work();
  void paint(Painting& painting) const;

  std::mutex mutex_;
  std::condition_variable more_, less_;
  std::deque<std::shared_ptr<Painting>> queue_;
  std::atomic<int> unfinished_{0};
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace convlens::viewer

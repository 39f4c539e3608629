#include "viewer/ui/painter.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace convlens::viewer {

Painter::Painter() : thread_([this] { work(); }) {}

Painter::~Painter() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  more_.notify_all();
  thread_.join();
}

std::shared_ptr<Painting> Painter::start(std::string key, int width, int height, PixelColour colour, PixelText text,
                                         int grain) {
  auto painting = std::make_shared<Painting>();
  painting->key = std::move(key);
  painting->width = width, painting->height = height, painting->grain = grain;
  painting->colour = std::move(colour), painting->text = std::move(text);
  later([this, painting] { paint(*painting); });
  return painting;
}

void Painter::later(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_front(std::move(work));
    ++unfinished_;
  }
  more_.notify_one();
}

bool Painter::finish(const std::function<bool()>& interrupted) {
  constexpr std::chrono::milliseconds kLook{50};  // a signal wakes nobody
  std::unique_lock lock(mutex_);
  while (!less_.wait_for(lock, kLook, [this] { return unfinished_ == 0; }))
    if (interrupted()) return false;
  return true;
}

std::string Painter::take_failure() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(failure_, std::string());
}

void Painter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    const std::function<void()> next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    std::string failure;
    try {
      next();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    if (!failure.empty()) failure_ = failure;
    --unfinished_;
    less_.notify_all();
  }
}

void Painter::paint(Painting& p) const {
  const auto width = static_cast<std::size_t>(p.width), height = static_cast<std::size_t>(p.height);
  std::vector<std::uint32_t> pixels(width * height, 0);
  for (int pass = 0; pass < p.all_passes(); ++pass) {
    const int step = Painting::kCoarsest >> pass;
    for (int y = 0; y < p.height; y += step) {
      for (int x = 0; x < p.width; x += step) {
        if (!p.wanted || stop_) return;
        const bool known = pass > 0 && x % (2 * step) == 0 && y % (2 * step) == 0;
        const auto at = [&](int row, int column) -> std::uint32_t& {
          return pixels[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)];
        };
        const std::uint32_t colour = known ? at(y, x) : p.colour(x, y);
        for (int row = y; row < std::min(y + step, p.height); ++row)
          for (int column = x; column < std::min(x + step, p.width); ++column) at(row, column) = colour;
      }
    }
    std::vector<std::string> texts;
    if (pass + 1 == p.all_passes() && p.text)
      for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x) texts.push_back(p.text(x, y));
    const std::scoped_lock lock(p.mutex);
    p.pixels = pixels;
    p.texts = std::move(texts);
    p.passes = pass + 1;
  }
}

}  // namespace convlens::viewer

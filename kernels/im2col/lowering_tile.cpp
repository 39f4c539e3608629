#include "kernels/im2col/lowering_tile.h"

#include <algorithm>

#include "kernels/program.h"

namespace convlens::gpu {

namespace {

constexpr std::int64_t kPixels = 32;             // of a block of the lowering, at least if there are as many
constexpr std::int64_t kRowBytes = 1536;         // of A, of a pixel and block, about
constexpr std::int64_t kTileBytes = 32768;       // of A, of a block: blocks with few columns take more pixels
constexpr std::int64_t kWantedPatch = 24 << 10;  // of x, of a block: eight then share a multiprocessor

constexpr std::int64_t kBlockBytes = 64 << 10;  // of A, of a block, rows of y together, where blocks are many
constexpr std::int64_t kBlocks = 132 * 8 * 2;   // that an H200 is full with, twice

}  // namespace

std::int64_t images_of_pass(const Request& request) {
  const std::int64_t n = std::max<std::int64_t>(request.problem.n(), 1);
  const std::string& batching = request.options["batching"];
  return batching == "full"    ? n
         : batching == "image" ? 1
                               : std::min<std::int64_t>(n, request.options.integer("chunk_images"));
}

std::int64_t row_columns(const Request& request) {
  const std::int64_t vector = 16 / size_of(request.dtype);
  return ceil_div(request.problem.reduction(), vector) * vector;
}

bool channels_together(const Request& request) { return request.layouts.x == Layout::NHWC; }

LoweringTile::LoweringTile(const Request& request, std::int64_t images) {
  const ConvProblem& problem = request.problem;
  const bool last = channels_together(request);
  all_slices = last ? problem.hf() : problem.ci_per_group(), slice = problem.reduction() / all_slices;
  const std::int64_t size = size_of(request.dtype);
  vector = 16 / size;
  whole_vectors = last && problem.ci_per_group() % vector == 0;
  staging = request.options.is("staging", "auto") ? !whole_vectors : request.options.is("staging", "on");
  lines = !whole_vectors && (request.layouts.x == Layout::NCHW || (last && problem.groups() == 1));
  const Strides x_step = dense_strides(request.layouts.x, problem.x_shape());
  // Lines begin as far into a vector of the patch as they do in x, and share no vector; an odd number of vectors apart,
  // they begin on different banks of shared memory.
  const auto in_phase = [&](std::int64_t least, std::int64_t step) {
    const std::int64_t pitch = least + ((step - least) % vector + vector) % vector;
    return pitch / vector % 2 == 1 ? pitch : pitch + vector;
  };
  const auto bytes = [&] {
    const std::int64_t beyond = slices * slice % vector == 0 ? 0 : ceil_div(vector - 1, slice);
    const std::int64_t width = (q - 1) * problem.spec().stride_w + problem.extent_w(), pitch = n > 1 ? n + 4 / size : 1;
    const std::int64_t line = width * (last ? problem.ci_per_group() : pitch);
    row_pitch = lines ? in_phase(line + vector - 1, problem.spec().dilation_h * x_step[2]) : line;
    slice_pitch = last ? row_pitch : lines ? in_phase(problem.hf() * row_pitch, x_step[1]) : problem.hf() * row_pitch;
    return staging ? (std::min(all_slices, slices + beyond) * slice_pitch + (lines ? vector : 0)) * size : 0;
  };
  const auto even = [](std::int64_t count, std::int64_t most) { return ceil_div(count, ceil_div(count, most)); };
  slices = even(all_slices, std::clamp<std::int64_t>(kRowBytes / (slice * size), 1, all_slices));
  if (!last && slices < all_slices && slices > vector) slices = slices / vector * vector;  // blocks begin with a vector
  const std::int64_t most = std::max(kPixels, kTileBytes / (slices * slice * size));
  if (request.layouts.x == Layout::CHWN)
    n = std::clamp<std::int64_t>(images, 1, kPixels);
  else
    q = even(problem.wo(), std::min(most, problem.wo()));
  while (bytes() > kWantedPatch && q * n > 8) q = ceil_div(q, 2), n = ceil_div(n, 2);
  while (bytes() > kMostPatchBytes && slices > 1) slices = ceil_div(slices, 2);
  while (bytes() > kMostPatchBytes && q * n > 1) q = ceil_div(q, 2), n = ceil_div(n, 2);
  patch_bytes = ceil_div(bytes(), 16) * 16;
  // Rows of y that a block takes one after the other share what threads know of their columns: much, where vectors are
  // put together from elements.
  const std::int64_t blocks =
      ceil_div(images, n) * problem.ho() * ceil_div(problem.wo(), q) * problem.groups() * ceil_div(all_slices, slices);
  const std::int64_t rows = std::min(kBlockBytes / std::max<std::int64_t>(1, slices * slice * q * n * size),
                                     std::max<std::int64_t>(1, blocks / kBlocks));
  if (!whole_vectors)
    this->p = even(std::max<std::int64_t>(1, problem.ho()), std::clamp<std::int64_t>(rows, 1, problem.ho()));
  choose_threads(ceil_div(slices * slice, vector));
}

// Warps that share out the groups of `lanes` vectors evenly, about eight of them.
void LoweringTile::choose_threads(std::int64_t vectors) {
  constexpr std::int64_t kWarp = 32, kWarps = 8;
  if (whole_vectors && q * n < 16) lanes = kWarp;
  while (lanes > 1 && lanes / 2 >= vectors) lanes /= 2;
  const std::int64_t groups = ceil_div(vectors, lanes), rounds = ceil_div(groups, kWarps + 1);
  const std::int64_t together = ceil_div(groups, rounds);
  threads = kWarp * together * std::max<std::int64_t>(1, kWarps / together);
}

std::vector<Box> LoweringTile::boxes(const ConvProblem& problem, std::int64_t first_image, std::int64_t images,
                                     std::int64_t block) const {
  const auto digit = [&block](std::int64_t base) {
    const std::int64_t value = block % base;
    block /= base;
    return value;
  };
  const std::int64_t slice0 = digit(ceil_div(all_slices, slices)) * slices, g = digit(problem.groups());
  const std::int64_t q = digit(ceil_div(problem.wo(), this->q)) * this->q;
  const std::int64_t row = digit(ceil_div(problem.ho(), this->p)) * this->p, n = block * this->n;
  const std::int64_t first = ceil_div(slice0 * slice, vector) * vector;
  const std::int64_t end = ceil_div(std::min(slice0 + slices, all_slices) * slice, vector) * vector;
  if (first == end) return {};
  return {{{first_image + n, row, q, g, first},
           {std::min(this->n, images - n), std::min(this->p, problem.ho() - row), std::min(this->q, problem.wo() - q),
            1, end - first, 1}}};
}

}  // namespace convlens::gpu

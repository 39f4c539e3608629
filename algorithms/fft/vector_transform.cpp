#include "algorithms/fft/vector_transform.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/fft/vector_transform.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convlens::fft::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// cos(2π·k/32), 0 ≤ k ≤ 16; the sine is the cosine a quarter later.
constexpr float Cosine(int k) {
  constexpr float kQuarter[] = {1.0f,
                                0.980785280403230449f,
                                0.923879532511286756f,
                                0.831469612302545237f,
                                0.707106781186547524f,
                                0.555570233019602225f,
                                0.382683432365089772f,
                                0.195090322016128268f,
                                0.0f};
  return k <= 8 ? kQuarter[k] : -kQuarter[16 - k];
}
constexpr float Sine(int k) { return k <= 8 ? Cosine(8 - k) : Cosine(k - 8); }

// The last step of a transform of N points: those of its even and its odd elements, in the two halves of y, become
// y(k), y(k + N/2) = even(k) ± e^{−2πi·k/N}·odd(k).
template <int N, int k, class D, class V = hn::Vec<D>>
HWY_INLINE void Combine(D d, V* re, V* im) {
  if constexpr (k < N / 2) {
    constexpr float c = Cosine(32 / N * k), s = Sine(32 / N * k);
    const V odd_re = re[k + N / 2], odd_im = im[k + N / 2];
    V turned_re = odd_re, turned_im = odd_im;
    if constexpr (4 * k == N) {
      turned_re = odd_im;
      turned_im = hn::Neg(odd_re);
    } else if constexpr (k > 0) {
      turned_re = hn::MulAdd(odd_re, hn::Set(d, c), hn::Mul(odd_im, hn::Set(d, s)));
      turned_im = hn::NegMulAdd(odd_re, hn::Set(d, s), hn::Mul(odd_im, hn::Set(d, c)));
    }
    re[k + N / 2] = hn::Sub(re[k], turned_re);
    im[k + N / 2] = hn::Sub(im[k], turned_im);
    re[k] = hn::Add(re[k], turned_re);
    im[k] = hn::Add(im[k], turned_im);
    Combine<N, k + 1>(d, re, im);
  }
}

// y = the transform of x(0), x(step), …, x((N − 1)·step). The inverse, times N, is the same with re and im exchanged.
template <int N, int step, class D, class V = hn::Vec<D>>
HWY_INLINE void Transform(D d, const V* x_re, const V* x_im, V* re, V* im) {
  if constexpr (N == 1) {
    re[0] = x_re[0];
    im[0] = x_im[0];
  } else {
    Transform<N / 2, 2 * step>(d, x_re, x_im, re, im);
    Transform<N / 2, 2 * step>(d, x_re + step, x_im + step, re + N / 2, im + N / 2);
    Combine<N, 0>(d, re, im);
  }
}
template <int N, class D, class V = hn::Vec<D>>
HWY_NOINLINE void Transform(D d, const V* x_re, const V* x_im, V* re, V* im) {
  Transform<N, 1>(d, x_re, x_im, re, im);
}

// `channels` of them at p: fewer than a vector has lanes are copied, so that nothing beyond them is touched.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LoadSome(D d, const float* p, std::int64_t channels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (channels >= lanes) return hn::LoadU(d, p);
  HWY_ALIGN float copy[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy_n(p, channels, copy);
  return hn::Load(d, copy);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreSome(D d, V value, float* p, std::int64_t channels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (channels >= lanes) return hn::StoreU(value, d, p);
  HWY_ALIGN float copy[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(value, d, copy);
  std::copy_n(copy, channels, p);
}

template <int P, class D, class V = hn::Vec<D>>
void ForwardOne(D d, const ForwardTiles& t, std::int64_t first) {
  constexpr int kHalf = P / 2 + 1;
  V re[kHalf][P], im[kHalf][P];  // columns of the half spectrum, first of each row
  V row_re[P], row_im[P], sum_re[P], sum_im[P];
  const V half = hn::Set(d, 0.5f);
  const auto element = [&](std::int64_t h, std::int64_t w) HWY_ATTR {
    const float* const p = h < t.rows && w < t.columns ? t.in[h * t.columns + w] : nullptr;
    return p ? LoadSome(d, p + t.in_offset + first, t.channels) : hn::Zero(d);
  };
  for (int h = 0; h < P; h += 2) {
    if (h >= t.rows) {
      for (int l = 0; l < kHalf; ++l) re[l][h] = im[l][h] = re[l][h + 1] = im[l][h + 1] = hn::Zero(d);
      continue;
    }
    for (int w = 0; w < P; ++w) row_re[w] = element(h, w), row_im[w] = element(h + 1, w);
    Transform<P>(d, row_re, row_im, sum_re, sum_im);
    for (int l = 0; l < kHalf; ++l) {
      const int m = (P - l) % P;
      re[l][h] = hn::Mul(half, hn::Add(sum_re[l], sum_re[m]));
      im[l][h] = hn::Mul(half, hn::Sub(sum_im[l], sum_im[m]));
      re[l][h + 1] = hn::Mul(half, hn::Add(sum_im[l], sum_im[m]));
      im[l][h + 1] = hn::Mul(half, hn::Sub(sum_re[m], sum_re[l]));
    }
  }
  for (int l = 0; l < kHalf; ++l) {
    Transform<P>(d, re[l], im[l], sum_re, sum_im);
    for (int k = 0; k < P; ++k) {
      float* const bin = t.out + (k * kHalf + l) * t.bin_step + first;
      StoreSome(d, sum_re[k], bin, t.channels);
      StoreSome(d, sum_im[k], bin + t.imaginary, t.channels);
      if (t.negated) StoreSome(d, hn::Neg(sum_re[k]), t.negated + (k * kHalf + l) * t.negated_step + first, t.channels);
    }
  }
}

template <int P, class D, class V = hn::Vec<D>>
void InverseOne(D d, const InverseTiles& t, std::int64_t first) {
  constexpr int kHalf = P / 2 + 1;
  V re[kHalf][P], im[kHalf][P];
  V in_re[P], in_im[P], row_re[P], row_im[P];
  for (int l = 0; l < kHalf; ++l) {
    for (int k = 0; k < P; ++k) {
      const float* const bin = t.in + (k * kHalf + l) * t.bin_step + first;
      in_re[k] = LoadSome(d, bin, t.channels);
      in_im[k] = LoadSome(d, bin + t.imaginary, t.channels);
    }
    Transform<P>(d, in_im, in_re, im[l], re[l]);
  }
  const V scale = hn::Set(d, 1.0f / (P * P));
  const V add = t.add ? LoadSome(d, t.add + first, t.channels) : hn::Zero(d);
  const auto write = [&](const V* row, std::int64_t r) HWY_ATTR {
    for (std::int64_t s = 0; s < t.columns; ++s)
      StoreSome(d, hn::MulAdd(row[s * t.step_w], scale, add), t.out[r * t.columns + s] + first, t.channels);
  };
  for (std::int64_t r = 0; r < t.rows; r += 2) {  // row a and, as imaginary parts, row b: the same where there is none
    const std::int64_t a = r * t.step_h, b = std::min(r + 1, t.rows - 1) * t.step_h;
    for (int l = 0; l < P; ++l) {
      const int m = l < kHalf ? l : P - l;
      const V a_im = l < kHalf ? im[m][a] : hn::Neg(im[m][a]), b_im = l < kHalf ? im[m][b] : hn::Neg(im[m][b]);
      in_re[l] = hn::Sub(re[m][a], b_im);
      in_im[l] = hn::Add(a_im, re[m][b]);
    }
    Transform<P>(d, in_im, in_re, row_im, row_re);
    write(row_re, r);
    if (r + 1 < t.rows) write(row_im, r + 1);
  }
}

// The last vector may begin within the one before it: its channels are then computed twice, to the same values.
template <class D, class Tiles>
void EachVector(D d, const Tiles& t, void (*transform)(D, const Tiles&, std::int64_t)) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t first = 0; first < t.channels; first += lanes)
    transform(d, t, std::min(first, std::max<std::int64_t>(0, t.channels - lanes)));
}
template <class D>
void ForwardAll(D d, std::int64_t length, const ForwardTiles& t) {
  EachVector(d, t, length == 8 ? ForwardOne<8, D> : length == 16 ? ForwardOne<16, D> : ForwardOne<32, D>);
}
template <class D>
void InverseAll(D d, std::int64_t length, const InverseTiles& t) {
  EachVector(d, t, length == 8 ? InverseOne<8, D> : length == 16 ? InverseOne<16, D> : InverseOne<32, D>);
}

void Forward(std::int64_t length, const ForwardTiles& t) { ForwardAll(hn::ScalableTag<float>(), length, t); }
void Inverse(std::int64_t length, const InverseTiles& t) { InverseAll(hn::ScalableTag<float>(), length, t); }
void ForwardScalar(std::int64_t length, const ForwardTiles& t) { ForwardAll(hn::CappedTag<float, 1>(), length, t); }
void InverseScalar(std::int64_t length, const InverseTiles& t) { InverseAll(hn::CappedTag<float, 1>(), length, t); }

}  // namespace convlens::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convlens::fft {

HWY_EXPORT(Forward);
HWY_EXPORT(Inverse);
HWY_EXPORT(ForwardScalar);
HWY_EXPORT(InverseScalar);

void forward(std::int64_t length, const ForwardTiles& tiles, bool vectors) {
  vectors ? HWY_DYNAMIC_DISPATCH(Forward)(length, tiles) : HWY_DYNAMIC_DISPATCH(ForwardScalar)(length, tiles);
}
void inverse(std::int64_t length, const InverseTiles& tiles, bool vectors) {
  vectors ? HWY_DYNAMIC_DISPATCH(Inverse)(length, tiles) : HWY_DYNAMIC_DISPATCH(InverseScalar)(length, tiles);
}

}  // namespace convlens::fft
#endif

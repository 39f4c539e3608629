// The discrete Fourier transform of P complex numbers that one thread holds in its registers.
//
//   X(k) = Σ_j x(j) · ω^{jk},   ω = e^{−2πi/P},   P = 2^a·3^b·5^c·7^d
//
// Cooley & Tukey 1965: with P = R·Q and j = q·R + r, k = m·Q + s
//
//   X(m·Q + s) = Σ_r [ ω^{r·s} · ( Σ_q x(q·R + r) · e^{−2πi·q·s/Q} ) ] · e^{−2πi·r·m/R}
//                      root        transform of Q points                  transform of R points
//
//   x  0 1 2 3 4 5 6 7                       R = 4, Q = 2
//      │ every R-th ┌ 0 4 ┐ ┌ 1 5 ┐ ┌ 2 6 ┐ ┌ 3 7 ┐   R transforms of Q points
//      │ root       │· ω⁰ │ │· ω^s│ │· ω²ˢ│ │· ω³ˢ│
//      └ across     └ R-point transforms of one element of each ┘
//
// Everything is unrolled: arrays are registers, the order of elements costs nothing, and the roots of unity, computed
// by the compiler in double precision, are literals in the instructions. Roots of 1, −i, −1, i cost no multiplication.
#pragma once

struct alignas(8) Complex {
  float re, im;
};

__device__ __forceinline__ Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
__device__ __forceinline__ Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }

// cos(2πj/P) and sin(2πj/P) for j < P, rounded once from series that end below double's roundoff.
template <int P>
struct Roots {
  float cosine[P] = {}, sine[P] = {};

  __host__ __device__ constexpr Roots() {
    for (int j = 0; j < P; ++j) {
      const double angle = 6.283185307179586476925 * (2 * j > P ? j - P : j) / P;  // −π < angle ≤ π
      double cosine_sum = 0, sine_sum = 0, term = 1;                               // term = angle^n / n!
      for (int n = 0; n < 40; n += 2) {
        cosine_sum += n % 4 == 0 ? term : -term;
        term *= angle / (n + 1);
        sine_sum += n % 4 == 0 ? term : -term;
        term *= angle / (n + 2);
      }
      cosine[j] = static_cast<float>(cosine_sum);
      sine[j] = static_cast<float>(sine_sum);
    }
  }
};

// x · e^{−2πi·j/P}
template <int P>
__device__ __forceinline__ Complex times_root(Complex x, int j) {
  constexpr Roots<P> roots;
  j %= P;
  if (j == 0) return x;
  if (4 * j == P) return {x.im, -x.re};
  if (2 * j == P) return {-x.re, -x.im};
  if (4 * j == 3 * P) return {-x.im, x.re};
  return {x.re * roots.cosine[j] + x.im * roots.sine[j], x.im * roots.cosine[j] - x.re * roots.sine[j]};
}

// The transform of R points by its definition: R = 2, 4, or an odd prime, where terms r and R − r share products.
template <int R>
__device__ __forceinline__ void short_transform(Complex (&x)[R]) {
  if constexpr (R == 2) {
    const Complex sum = x[0] + x[1], difference = x[0] - x[1];
    x[0] = sum, x[1] = difference;
  } else if constexpr (R == 4) {
    const Complex even_sum = x[0] + x[2], even = x[0] - x[2], odd_sum = x[1] + x[3], odd = x[1] - x[3];
    x[0] = even_sum + odd_sum, x[2] = even_sum - odd_sum;
    x[1] = {even.re + odd.im, even.im - odd.re}, x[3] = {even.re - odd.im, even.im + odd.re};
  } else {
    constexpr Roots<R> roots;
    constexpr int half = R / 2;
    Complex sum[half], difference[half], first = x[0];
#pragma unroll
    for (int r = 0; r < half; ++r) {
      sum[r] = x[r + 1] + x[R - 1 - r], difference[r] = x[r + 1] - x[R - 1 - r];
      first = first + sum[r];
    }
#pragma unroll
    for (int m = 1; m <= half; ++m) {
      Complex even = x[0], odd = {0.0f, 0.0f};
#pragma unroll
      for (int r = 0; r < half; ++r) {
        const float cosine = roots.cosine[m * (r + 1) % R], sine = roots.sine[m * (r + 1) % R];
        even.re += cosine * sum[r].re, even.im += cosine * sum[r].im;
        odd.re += sine * difference[r].re, odd.im += sine * difference[r].im;
      }
      // even − i·odd, even + i·odd; x[0] is still needed for the other m.
      x[m] = {even.re + odd.im, even.im - odd.re}, x[R - m] = {even.re - odd.im, even.im + odd.re};
    }
    x[0] = first;
  }
}

__host__ __device__ constexpr int first_radix(int points) {
  for (int radix : {4, 2, 3, 5})
    if (points % radix == 0) return radix;
  return points == 1 ? 1 : 7;
}

template <int P>
__device__ __forceinline__ void transform(Complex (&x)[P]) {
  constexpr int R = first_radix(P), Q = P / R;
  if constexpr (P > 1) {
    Complex part[R][Q];
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int q = 0; q < Q; ++q) part[r][q] = x[q * R + r];
      transform<Q>(part[r]);
    }
#pragma unroll
    for (int s = 0; s < Q; ++s) {
      Complex across[R];
#pragma unroll
      for (int r = 0; r < R; ++r) across[r] = times_root<P>(part[r][s], r * s);
      short_transform<R>(across);
#pragma unroll
      for (int m = 0; m < R; ++m) x[m * Q + s] = across[m];
    }
  }
}

// P times the inverse: the same sums with ω conjugated, which is the transform with real and imaginary parts exchanged.
template <int P>
__device__ __forceinline__ void inverse_transform(Complex (&x)[P]) {
#pragma unroll
  for (int j = 0; j < P; ++j) x[j] = {x[j].im, x[j].re};
  transform<P>(x);
#pragma unroll
  for (int j = 0; j < P; ++j) x[j] = {x[j].im, x[j].re};
}

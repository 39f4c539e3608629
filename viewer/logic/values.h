// The value of any cell of any tensor on show, computed when it is asked for: from the picture or the random numbers,
// through the index maps. Nothing is materialised, so that tensors of any size can be looked at.
//
//   element                  x, w or a stage's cell where the map says; padding is 0
//   combination              Σ coefficient · element
//   region of x or w         a bin of the tile's Fourier transform
//   region of two stages     Σ A · B, of spectra Σ A · conj B
//
// What is shown is what the bytes hold: x, w and the bias rounded to their type, the cells of each stage to the
// stage's, and y to its own, each computed in float64 from the rounded numbers that it is made of. What an algorithm's
// own arithmetic adds to that is the matter of the Numerics panel, which measures it.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <mutex>

#include "viewer/logic/model.h"
#include "viewer/logic/sources.h"
#include "viewer/logic/spectra.h"

namespace convlens::viewer {

class Values {
 public:
  // `model` must have a problem.
  Values(std::shared_ptr<const Model> model, Sources sources);

  // The value of a cell; real tensors have no imaginary part. Not for opaque stages, and at once only where the effort
  // (effort.h) is small. Any thread may ask.
  std::complex<double> at(const Exhibit& exhibit, const Coord& cell) const;

  // What rounding may have added to the value of a complex cell. A magnitude that is not above it is one of rounding
  // alone, and its phase says nothing.
  double roundoff(const Exhibit& exhibit, const Coord& cell) const;

  double bias(std::int64_t output_channel) const { return sources_.bias(output_channel); }
  bool picture() const { return sources_.picture; }  // whether x is to be seen in black and white, or in colours

  // The largest finite magnitude among a few hundred cells spread over the tensor (of spectra: over the tiles of the
  // first image and channel, or the first of them where transforms are long), by which colours are scaled; 1 where all
  // are zero. Spectra of one output channel may be far from those of another: theirs is of the channel that `cell` is
  // of. Any thread may ask; the answer is kept.
  double largest(const Exhibit& exhibit, const Coord& cell) const;

 private:
  double sample_largest(const Exhibit& exhibit, const Coord& first) const;
  std::complex<double> of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const;
  std::complex<double> exact_of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const;
  std::complex<double> of_operand(const Plan& plan, Operand from, const Coord& cell) const;
  std::complex<double> bin(const Stage& stage, const Coord& cell) const;
  // A real tensor that holds complex numbers in two cells each, the real part in the first.
  std::complex<double> part(const Plan& plan, const Stage& stage, const Coord& cell, const Term& term) const;
  std::complex<double> product(const Plan& plan, const Stage& stage, const Source& source) const;
  double roundoff_of_stage(const Plan& plan, const Stage& stage, const Coord& cell) const;
  double roundoff_of_product(const Plan& plan, const Source& source) const;
  double output(const Coord& cell) const;

  // The whole spectrum of one tile or filter slice; the latest kKeptSpectraBytes of them are kept.
  struct KeptSpectrum {
    Spectrum bins;
    double roundoff = 0;  // of each of them
  };
  using SharedSpectrum = std::shared_ptr<const KeptSpectrum>;
  SharedSpectrum spectrum(const Stage& stage, const SpectralCell& cell) const;

  std::shared_ptr<const Model> model_;
  Sources sources_;
  std::map<const Stage*, SpectralStage> spectral_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<const Stage*, Coord>, SharedSpectrum> spectra_;
  mutable double kept_bytes_ = 0;
  mutable std::map<std::string, std::map<std::int64_t, double>> largest_;  // by exhibit and output channel
};

}  // namespace convlens::viewer

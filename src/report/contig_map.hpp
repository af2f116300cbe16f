#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sequence/chunker.hpp"

namespace virnucpro {

// A stretch of a contig: the bases [begin, end), counted from 0. `score` is its virus score, which
// is empty if the stretch is unscored.
struct MapStretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::optional<double> score{};

  bool operator==(const MapStretch&) const = default;
};

// Collects the scores along a contig, in fixed memory. A contig of any length is divided into at
// most kBins bins of equal length. A bin's score is the mean of its chunks' scores, weighted by
// their bases in the bin. A bin is unscored if chunks cover less than half of it.
class ContigMap {
 public:
  static constexpr std::uint64_t kBins = 160;

  // Begins a new map, for a contig of `length` bases.
  void begin(std::uint64_t length);
  // Adds a scored chunk; chunks must come in order. `fresh` is the chunk's first base that no
  // earlier chunk covers.
  void add(const Chunk& chunk, std::uint64_t fresh, double score);
  // Returns the map. Neighbouring bins whose scores agree to three decimals form one stretch.
  std::vector<MapStretch> stretches() const;

 private:
  struct Bin {
    double weight = 0;
    double sum = 0;
    std::uint64_t covered = 0;
  };

  std::uint64_t end_of(std::uint64_t bin) const;

  std::uint64_t length_ = 0;
  std::uint64_t width_ = 1;  // of a bin, in bases
  std::vector<Bin> bins_;
};

}  // namespace virnucpro

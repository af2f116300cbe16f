#include "weights/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/hash.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLargestBlock = 1024;
constexpr std::uint64_t kSignSeed = 1;
constexpr std::uint64_t kMixingSeed = 2;
// The number of random reflections whose product is Rotation's matrix R: enough for all models.
constexpr std::size_t kReflections = 16;
// For a small R this many random matrices are made. R is the matrix whose largest entry is
// smallest, because a large channel keeps that share of its value. A large R has no large entry.
constexpr std::uint64_t kCandidates = 256;
// How many values of each block are mixed at once. Those of all blocks must fit in the L1 cache.
constexpr std::size_t kMixedAtOnce = 32;

std::size_t power_of_two_in(std::size_t width) {
  std::size_t block = 1;
  while (block < kLargestBlock && width % (2 * block) == 0) block *= 2;
  return block;
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return splitmix64(splitmix64(seed) + index * kSplitMixStep);
}

// Computes matrix ← (I − 2·u·uᵀ / uᵀ·u)·matrix (Householder 1958). The entries of u are random
// half-integers from -63.5 to 63.5.
void reflect(std::vector<double>& matrix, std::size_t size, std::uint64_t seed) {
  std::vector<double> u(size);
  double square = 0;
  for (std::size_t i = 0; i < size; ++i) {
    u[i] = static_cast<double>(random_bits(seed, i) >> 57U) - 63.5;  // never 0
    square += u[i] * u[i];
  }
  for (std::size_t column = 0; column < size; ++column) {
    double product = 0;
    for (std::size_t i = 0; i < size; ++i) product += u[i] * matrix[i * size + column];
    const double factor = 2.0 * product / square;
    for (std::size_t i = 0; i < size; ++i) matrix[i * size + column] -= factor * u[i];
  }
}

std::vector<double> random_orthogonal(std::size_t size, std::uint64_t seed) {
  std::vector<double> matrix(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) matrix[i * size + i] = 1.0;
  for (std::size_t i = 0; i < std::min(size, kReflections); ++i) {
    reflect(matrix, size, random_bits(seed, i));
  }
  return matrix;
}

double largest_entry(const std::vector<double>& matrix) {
  double largest = 0;
  for (const double entry : matrix) largest = std::max(largest, std::abs(entry));
  return largest;
}

std::vector<double> flattest_orthogonal(std::size_t size) {
  const std::uint64_t candidates = size <= kReflections ? kCandidates : 1;
  std::vector<double> flattest;
  for (std::uint64_t i = 0; i < candidates; ++i) {
    std::vector<double> candidate = random_orthogonal(size, random_bits(kMixingSeed, i));
    if (flattest.empty() || largest_entry(candidate) < largest_entry(flattest)) {
      flattest = std::move(candidate);
    }
  }
  return flattest;
}

std::vector<double> transposed(const std::vector<double>& matrix, std::size_t size) {
  std::vector<double> result(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) result[i % size * size + i / size] = matrix[i];
  return result;
}

// Applies the unscaled Hadamard transform (Sylvester's order) to the columns of [size, lanes].
void hadamard(double* vectors, std::size_t size, std::size_t lanes) {
  for (std::size_t distance = lanes; distance < size * lanes; distance *= 2) {
    for (std::size_t first = 0; first < size * lanes; first += 2 * distance) {
      double* const low = vectors + first;
      double* const high = low + distance;
      for (std::size_t i = 0; i < distance; ++i) {
        const double sum = low[i] + high[i];
        high[i] = low[i] - high[i];
        low[i] = sum;
      }
    }
  }
}

}  // namespace

Rotation::Rotation(std::size_t width, std::size_t block)
    : block_(block), scales_(width, 1.0 / std::sqrt(static_cast<double>(block))) {}

Rotation::Rotation(std::size_t width) : Rotation(width, power_of_two_in(width)) {
  for (std::size_t i = 0; i < width; ++i) {
    if (random_bits(kSignSeed, i) >> 63U != 0) scales_[i] = -scales_[i];
  }
  if (width == block_) return;
  mixing_ = flattest_orthogonal(width / block_);
  mixing_transposed_ = transposed(mixing_, width / block_);
}

Rotation Rotation::of_heads(std::size_t width, std::size_t head_width) {
  return {width, power_of_two_in(head_width)};
}

void Rotation::apply(std::span<double> vectors, std::size_t lanes) const {
  scale(vectors, lanes);
  transform_blocks(vectors, lanes);
  mix_blocks(mixing_, vectors, lanes);
}

void Rotation::apply_transposed(std::span<double> vectors, std::size_t lanes) const {
  mix_blocks(mixing_transposed_, vectors, lanes);
  transform_blocks(vectors, lanes);
  scale(vectors, lanes);
}

void Rotation::scale(std::span<double> vectors, std::size_t lanes) const {
  for (std::size_t i = 0; i < width(); ++i) {
    for (std::size_t lane = 0; lane < lanes; ++lane) vectors[i * lanes + lane] *= scales_[i];
  }
}

void Rotation::transform_blocks(std::span<double> vectors, std::size_t lanes) const {
  for (std::size_t first = 0; first < width(); first += block_) {
    hadamard(vectors.data() + first * lanes, block_, lanes);
  }
}

void Rotation::mix_blocks(const std::vector<double>& mixing, std::span<double> vectors,
                          std::size_t lanes) const {
  if (mixing.empty()) return;
  const std::size_t blocks = width() / block_;
  const std::size_t stride = block_ * lanes;
  std::vector<double> mixed(blocks * kMixedAtOnce);
  for (std::size_t first = 0; first < stride; first += kMixedAtOnce) {
    const std::size_t count = std::min(kMixedAtOnce, stride - first);
    std::fill(mixed.begin(), mixed.end(), 0.0);
    for (std::size_t i = 0; i < blocks * blocks; ++i) {
      const double* const from = vectors.data() + i % blocks * stride + first;
      double* const to = mixed.data() + i / blocks * kMixedAtOnce;
      for (std::size_t j = 0; j < count; ++j) to[j] += mixing[i] * from[j];
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      std::copy_n(mixed.data() + i * kMixedAtOnce, count, vectors.data() + i * stride + first);
    }
  }
}

}  // namespace virnucpro

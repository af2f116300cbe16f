#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace virnucpro {

// A fixed orthogonal matrix Q that spreads each coordinate over many coordinates, so that no
// channel stands out when a vector is rounded to 8 bits. A model computes the same results if its
// weights are rotated accordingly (Ashkboos et al. 2024, arXiv:2404.00456). Every step is exact or
// correctly rounded, so Q is the same on every machine.
class Rotation {
 public:
  // Makes Q = (R ⊗ H)·D. D is diagonal, with fixed random signs. H is a Hadamard matrix divided by
  // the square root of its size. This size is the largest power of two, at most 1024, that divides
  // the width. R is a fixed orthogonal matrix that mixes the blocks of this size.
  explicit Rotation(std::size_t width);

  // Returns a rotation that only applies a matrix H to each head. H's size is the largest power of
  // two that divides the head's width. `width` must be a multiple of `head_width`.
  static Rotation of_heads(std::size_t width, std::size_t head_width);

  std::size_t width() const { return scales_.size(); }

  // Computes v ← Q·v for each of the `lanes` vectors in `vectors`, [width, lanes]. A vector's bits
  // do not depend on the other vectors.
  void apply(std::span<double> vectors, std::size_t lanes = 1) const;
  // Computes v ← Qᵀ·v, the inverse.
  void apply_transposed(std::span<double> vectors, std::size_t lanes = 1) const;

 private:
  Rotation(std::size_t width, std::size_t block);

  void scale(std::span<double> vectors, std::size_t lanes) const;
  void transform_blocks(std::span<double> vectors, std::size_t lanes) const;
  void mix_blocks(const std::vector<double>& mixing, std::span<double> vectors,
                  std::size_t lanes) const;

  std::size_t block_;           // the size of H
  std::vector<double> scales_;  // D / √block
  // R and Rᵀ, row-major; empty if there is only one block.
  std::vector<double> mixing_;
  std::vector<double> mixing_transposed_;
};

}  // namespace virnucpro

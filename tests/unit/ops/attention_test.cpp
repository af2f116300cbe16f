#include "ops/attention.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "ops/finite.hpp"
#include "unit/ops/random_weights.hpp"

namespace virnucpro {
namespace {

using Row = std::vector<double>;

struct Attention : Computing {
  static Panels random_qkv(std::size_t rows, std::size_t width) {
    return normal_panels(rows, 3 * width, 7);
  }
};

Row head_row(const Panels& qkv, std::size_t row, std::size_t column, std::size_t width) {
  return {qkv.row(row) + column, qkv.row(row) + column + width};
}

void rotate(Row& row, std::span<const float> inv_freq, std::size_t position) {
  const std::size_t half = inv_freq.size();
  for (std::size_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(static_cast<float>(position) * inv_freq[i]);
    const double first = row[i];
    const double second = row[i + half];
    row[i] = first * std::cos(angle) - second * std::sin(angle);
    row[i + half] = second * std::cos(angle) + first * std::sin(angle);
  }
}

// One query's result in double, by the definition.
Row reference(const Panels& qkv, std::size_t first, std::size_t length, std::size_t heads,
              std::size_t head, std::size_t query, std::span<const float> inv_freq, double slope) {
  const std::size_t model = qkv.width() / 3;
  const std::size_t width = model / heads;
  Row q = head_row(qkv, first + query, head * width, width);
  if (!inv_freq.empty()) rotate(q, inv_freq, query);
  Row weights(length);
  double sum = 0;
  for (std::size_t j = 0; j < length; ++j) {
    Row k = head_row(qkv, first + j, model + head * width, width);
    if (!inv_freq.empty()) rotate(k, inv_freq, j);
    double score = 0;
    for (std::size_t i = 0; i < width; ++i) score += q[i] * k[i];
    score /= std::sqrt(static_cast<double>(width));
    score -= slope * std::abs(static_cast<double>(query) - static_cast<double>(j));
    weights[j] = std::exp(score);
    sum += weights[j];
  }
  Row result(width, 0.0);
  for (std::size_t j = 0; j < length; ++j) {
    const Row v = head_row(qkv, first + j, 2 * model + head * width, width);
    for (std::size_t i = 0; i < width; ++i) result[i] += weights[j] / sum * v[i];
  }
  return result;
}

constexpr std::uint32_t kOffsets[] = {0, 1, 3, 19, 210, 403, 1903};

// Some all over a sequence, its last, and those at the ends of the kernels' tiles.
std::set<std::size_t> queries_of(std::size_t length) {
  std::set<std::size_t> queries{length - 1};
  for (std::size_t query = 0; query < length; query += 1 + length / 5) queries.insert(query);
  for (const std::size_t query : {7U, 8U, 15U, 16U, 63U, 64U, 127U, 128U, 191U, 192U}) {
    if (query < length) queries.insert(query);
  }
  return queries;
}

void expect_reference(const Panels& qkv, const Panels& out, std::size_t heads,
                      std::span<const float> inv_freq, std::span<const float> slopes,
                      double tolerance = 3e-6) {
  const std::size_t width = out.width() / heads;
  for (std::size_t s = 0; s + 1 < std::size(kOffsets); ++s) {
    const std::size_t length = kOffsets[s + 1] - kOffsets[s];
    for (const std::size_t query : queries_of(length)) {
      for (std::size_t head = 0; head < heads; ++head) {
        const Row expected = reference(qkv, kOffsets[s], length, heads, head, query, inv_freq,
                                       slopes.empty() ? 0.0 : static_cast<double>(slopes[head]));
        for (std::size_t i = 0; i < width; ++i) {
          ASSERT_NEAR(out.row(kOffsets[s] + query)[head * width + i], expected[i], tolerance)
              << "sequence " << s << " query " << query << " head " << head;
        }
      }
    }
  }
}

TEST_F(Attention, RotaryAgreesWithDoubles) {
  for (const std::size_t width : {2U, 10U, 24U, 64U}) {
    std::vector<float> inv_freq(width / 2);
    for (std::size_t i = 0; i < inv_freq.size(); ++i) {
      inv_freq[i] = std::pow(10000.0F, -static_cast<float>(2 * i) / static_cast<float>(width));
    }
    const Panels qkv = random_qkv(1903, 2 * width);
    Panels out(1903, 2 * width);
    rotary_attention(context, 2, RotaryTable(inv_freq, 1500), kOffsets, qkv, out);
    expect_reference(qkv, out, 2, inv_freq, {});
  }
}

TEST_F(Attention, AlibiAgreesWithDoubles) {
  const std::vector<float> slopes = alibi_slopes(3);
  const Panels qkv = random_qkv(1903, 3 * 20);
  Panels out(1903, 3 * 20);
  alibi_attention(context, slopes, kOffsets, qkv, out);
  expect_reference(qkv, out, 3, {}, slopes);
}

// Scores of some hundreds, at keys in lanes of both halves of a vector. Their powers overflow a
// float unless the row's largest score is taken off first.
TEST_F(Attention, LargeScoresAgreeWithDoubles) {
  for (const std::size_t lane : {3U, 13U}) {
    Panels qkv = random_qkv(1903, 3 * 20);
    for (std::size_t row = 0; row < 1903; ++row) {
      const bool is_large = row % 16 == lane;
      for (std::size_t i = 60; is_large && i < 120; ++i) qkv.row(row)[i] *= 60;
    }
    Panels out(1903, 3 * 20);
    const std::vector<float> slopes(3, 0.0F);
    alibi_attention(context, slopes, kOffsets, qkv, out);
    expect_reference(qkv, out, 3, {}, slopes, 1e-3);
  }
}

TEST_F(Attention, NaNStaysInItsSequence) {
  Panels qkv = random_qkv(1903, 16);
  qkv.row(25)[20] = std::numeric_limits<float>::quiet_NaN();  // a key of sequence [19, 210)
  Panels out(1903, 16);
  alibi_attention(context, alibi_slopes(1), kOffsets, qkv, out);
  EXPECT_FALSE(all_finite({out.row(100), 16}));
  EXPECT_TRUE(all_finite({out.row(0), 19 * 16}));
  EXPECT_TRUE(all_finite({out.row(210), (1903 - 210) * 16}));
}

}  // namespace
}  // namespace virnucpro

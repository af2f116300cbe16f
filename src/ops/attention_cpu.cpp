#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ops/attention.hpp"
#include "ops/simd.hpp"

namespace virnucpro {
namespace {

// A task computes kQueryBlock query rows, kTileRows of them at a time in registers.
constexpr std::size_t kQueryBlock = 192;
constexpr std::size_t kTileRows = 6;
// multiply() uses 15 of 16 vector registers: 6 × 2 for sums, 2 for b and 1 for an element of a.
constexpr std::size_t kTileColumns = 2 * kLanes;

// Computes c[r][n] = Σ_k a[r][k]·b[k][n]. The sum adds over k in order, so that a row's bits do not
// depend on other rows. b is stored in panels of kTileColumns columns: b[panel][k][column].
template <std::size_t Rows>
void multiply(const float* a, std::size_t a_stride, const float* b, std::size_t depth,
              std::size_t columns, float* c, std::size_t c_stride) {
  for (std::size_t first = 0; first < columns; first += kTileColumns) {
    __m256 sums[Rows][2];
    for (std::size_t r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_ps();
    const float* panel = b + first * depth;
    for (std::size_t k = 0; k < depth; ++k, panel += kTileColumns) {
      const __m256 left = _mm256_load_ps(panel);
      const __m256 right = _mm256_load_ps(panel + kLanes);
      for (std::size_t r = 0; r < Rows; ++r) {
        const __m256 value = _mm256_broadcast_ss(a + r * a_stride + k);
        sums[r][0] = _mm256_fmadd_ps(value, left, sums[r][0]);
        sums[r][1] = _mm256_fmadd_ps(value, right, sums[r][1]);
      }
    }
    for (std::size_t r = 0; r < Rows; ++r) {
      _mm256_store_ps(c + r * c_stride + first, sums[r][0]);
      _mm256_store_ps(c + r * c_stride + first + kLanes, sums[r][1]);
    }
  }
}

void multiply_rows(std::size_t rows, const float* a, std::size_t a_stride, const float* b,
                   std::size_t depth, std::size_t columns, float* c, std::size_t c_stride) {
  constexpr std::array kMultiply{multiply<1>, multiply<2>, multiply<3>,
                                 multiply<4>, multiply<5>, multiply<6>};
  kMultiply[rows - 1](a, a_stride, b, depth, columns, c, c_stride);
}

// Replaces each score by exp(score − largest score) and returns the sum. Scores at indices `length`
// to `padded` become 0.
float exponentials(float* scores, std::size_t length, std::size_t padded) {
  std::fill(scores + length, scores + padded, -std::numeric_limits<float>::infinity());
  __m256 largest = _mm256_load_ps(scores);
  for (std::size_t j = kLanes; j < padded; j += kLanes) {
    largest = _mm256_max_ps(largest, _mm256_load_ps(scores + j));
  }
  const __m256 shift = _mm256_set1_ps(max_lanes(largest));
  __m256 sums[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  for (std::size_t j = 0; j < padded; j += kTileColumns) {
    for (std::size_t part = 0; part < 2; ++part) {
      float* at = scores + j + part * kLanes;
      const __m256 value = exp_lanes(_mm256_sub_ps(_mm256_load_ps(at), shift));
      _mm256_store_ps(at, value);
      sums[part] = _mm256_add_ps(sums[part], value);
    }
  }
  return sum_lanes(_mm256_add_ps(sums[0], sums[1]));
}

// The type `Positions` for rotary embedding: turn() rotates a query or key by its angles.
struct Rotary {
  const RotaryTable& table;

  void turn(float* row, std::size_t position, std::size_t /*width*/) const {
    const std::size_t half = table.half();
    const float* cosines = table.cosines(position);
    const float* sines = table.sines(position);
    for (std::size_t i = 0; i < half; ++i) {
      const float first = row[i];
      const float second = row[i + half];
      row[i] = first * cosines[i] - second * sines[i];
      row[i + half] = second * cosines[i] + first * sines[i];
    }
  }
  void bias(float* /*scores*/, std::size_t /*head*/, std::size_t /*query*/,
            std::size_t /*length*/) const {}
};

// The type `Positions` for ALiBi: bias() lowers a score in proportion to query-key distance.
struct Alibi {
  std::span<const float> slopes;

  void turn(float* /*row*/, std::size_t /*position*/, std::size_t /*width*/) const {}
  void bias(float* scores, std::size_t head, std::size_t query, std::size_t length) const {
    const float slope = slopes[head];
    const auto at = static_cast<std::int32_t>(query);
    const auto end = static_cast<std::int32_t>(length);
    for (std::int32_t j = 0; j < end; ++j) {
      scores[j] -= slope * static_cast<float>(j < at ? at - j : j - at);
    }
  }
};

// One head of one sequence in the packed rows.
struct HeadRows {
  const Panels& qkv;
  std::size_t first;  // row of the sequence's first token in `qkv`
  std::size_t length;
  std::size_t width;   // columns of one head
  std::size_t column;  // the head's first column within the queries, the keys or the values

  const float* query(std::size_t i) const { return qkv.row(first + i) + column; }
  const float* key(std::size_t i) const { return query(i) + qkv.width() / 3; }
  const float* value(std::size_t i) const { return query(i) + qkv.width() / 3 * 2; }
};

// A thread's scratch memory for one sequence and one head, as float arrays.
class HeadScratch {
 public:
  HeadScratch(std::size_t length, std::size_t width)
      : columns(round_up(length, kTileColumns)), width_columns(round_up(width, kTileColumns)) {
    const std::size_t sizes[] = {columns * width, width_columns * length, columns * kTileRows,
                                 width_columns * kTileRows, width * kTileRows};
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += round_up(size, kLanes);
    if (memory().size() < total) memory() = HostArray<float>(Purpose::kScratch, total);
    float** const parts[] = {&keys, &values, &scores, &sums, &queries};
    float* next = memory().data();
    for (std::size_t i = 0; i < std::size(sizes); next += round_up(sizes[i], kLanes), ++i) {
      *parts[i] = next;
    }
  }

  std::size_t columns;  // row length of `scores`: the sequence length, rounded up to whole tiles
  std::size_t width_columns;  // row length of `sums`: the head's width, rounded up to whole tiles
  float* keys = nullptr;      // transposed, in panels of kTileColumns keys
  float* values = nullptr;    // in panels of kTileColumns columns
  float* scores = nullptr;    // [kTileRows, columns]
  float* sums = nullptr;      // [kTileRows, width_columns]
  float* queries = nullptr;   // [kTileRows, width]

 private:
  static HostArray<float>& memory() {
    thread_local HostArray<float> memory;
    return memory;
  }
};

template <typename Positions>
void pack_keys(const HeadRows& head, const Positions& positions, HeadScratch& scratch) {
  std::fill_n(scratch.keys, scratch.columns * head.width, 0.0F);
  float* const row = scratch.queries;
  for (std::size_t j = 0; j < head.length; ++j) {
    std::copy_n(head.key(j), head.width, row);
    positions.turn(row, j, head.width);
    float* to = scratch.keys + j / kTileColumns * kTileColumns * head.width + j % kTileColumns;
    for (std::size_t i = 0; i < head.width; ++i) to[i * kTileColumns] = row[i];
  }
}

void pack_values(const HeadRows& head, HeadScratch& scratch) {
  for (std::size_t first = 0; first < scratch.width_columns; first += kTileColumns) {
    float* to = scratch.values + first * head.length;
    const std::size_t count = std::min(kTileColumns, head.width - first);
    for (std::size_t j = 0; j < head.length; ++j, to += kTileColumns) {
      std::copy_n(head.value(j) + first, count, to);
      std::fill(to + count, to + kTileColumns, 0.0F);
    }
  }
}

// Computes the outputs of `rows` queries, starting with query `first` of the sequence.
template <typename Positions>
void attend_tile(const HeadRows& head, std::size_t head_index, const Positions& positions,
                 std::size_t first, std::size_t rows, HeadScratch& scratch, Panels& out) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head.width));
  for (std::size_t r = 0; r < rows; ++r) {
    float* query = scratch.queries + r * head.width;
    std::transform(head.query(first + r), head.query(first + r) + head.width, query,
                   [scale](float value) { return value * scale; });
    positions.turn(query, first + r, head.width);
  }
  multiply_rows(rows, scratch.queries, head.width, scratch.keys, head.width, scratch.columns,
                scratch.scores, scratch.columns);
  float totals[kTileRows];
  for (std::size_t r = 0; r < rows; ++r) {
    float* scores = scratch.scores + r * scratch.columns;
    positions.bias(scores, head_index, first + r, head.length);
    totals[r] = exponentials(scores, head.length, scratch.columns);
  }
  multiply_rows(rows, scratch.scores, scratch.columns, scratch.values, head.length,
                scratch.width_columns, scratch.sums, scratch.width_columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* sums = scratch.sums + r * scratch.width_columns;
    const float factor = 1.0F / totals[r];
    std::transform(sums, sums + head.width, out.row(head.first + first + r) + head.column,
                   [factor](float value) { return value * factor; });
  }
}

struct QueryBlock {
  std::size_t first_row;  // first row of the sequence in the batch
  std::size_t length;     // rows of the sequence
  std::size_t first;      // first query of the block, counted from the sequence's first row
};

std::vector<QueryBlock> query_blocks(std::span<const std::uint32_t> offsets) {
  std::vector<QueryBlock> blocks;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::size_t length = offsets[i + 1] - offsets[i];
    for (std::size_t first = 0; first < length; first += kQueryBlock) {
      blocks.push_back({offsets[i], length, first});
    }
  }
  return blocks;
}

template <typename Positions>
void attend(OpContext& context, std::size_t heads, const Positions& positions,
            std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out) {
  const std::vector<QueryBlock> blocks = query_blocks(offsets);
  const std::size_t width = out.width() / heads;
  context.pool.parallel_for(blocks.size() * heads, [&](std::size_t task, std::size_t) {
    const QueryBlock& block = blocks[task / heads];
    const std::size_t head_index = task % heads;
    const HeadRows head{qkv, block.first_row, block.length, width, head_index * width};
    HeadScratch scratch(block.length, width);
    pack_keys(head, positions, scratch);
    pack_values(head, scratch);
    const std::size_t end = std::min(block.first + kQueryBlock, block.length);
    for (std::size_t first = block.first; first < end; first += kTileRows) {
      attend_tile(head, head_index, positions, first, std::min(kTileRows, end - first), scratch,
                  out);
    }
  });
}

}  // namespace

void rotary_attention(OpContext& context, std::size_t heads, const RotaryTable& rotary,
                      std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out) {
  attend(context, heads, Rotary{rotary}, offsets, qkv, out);
}

void alibi_attention(OpContext& context, std::span<const float> slopes,
                     std::span<const std::uint32_t> offsets, const Panels& qkv, Panels& out) {
  attend(context, slopes.size(), Alibi{slopes}, offsets, qkv, out);
}

}  // namespace virnucpro

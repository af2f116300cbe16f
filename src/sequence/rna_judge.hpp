#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace virnucpro {

// True if the letters have U and no T, in either case.
bool is_rna(std::string_view letters);

// Judges an input by its first records (docs/reference/semantics.md, section 2): the first 1,000,
// or 16 MiB of letters, that have T or U. An input is RNA if at least 90 % of them have U and no T.
// It is judged before shards are dealt, so all shards judge alike.
class RnaJudge {
 public:
  void add(std::string_view letters);
  // True if further records change nothing.
  bool is_settled() const { return records_ == kRecords || letters_ >= kLetters; }
  // Returns the error, without a place, for an input that is RNA; empty for any other.
  std::optional<Error> verdict() const;

 private:
  static constexpr std::uint64_t kRecords = 1000;
  static constexpr std::uint64_t kLetters = 16U << 20U;

  std::uint64_t records_ = 0;  // those with T or U
  std::uint64_t rna_ = 0;
  std::uint64_t letters_ = 0;
};

}  // namespace virnucpro

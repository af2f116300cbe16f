#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace virnucpro {

// True if the letters have U and no T, in either case.
bool is_rna(std::string_view letters);

// Judges an input by its first records that have T or U: the first 1,000, or 16 MiB of letters
// (docs/reference/semantics.md, section 2). An input is RNA if at least 90 % of these records have
// U and no T. Inputs are judged before records are dealt to shards, so all shards judge alike.
class RnaJudge {
 public:
  void add(std::string_view letters);
  // True if further records cannot change the verdict.
  bool is_settled() const { return records_ == kRecords || letters_ >= kLetters; }
  // Returns the error, without a place, for an input that is RNA; empty for any other.
  std::optional<Error> verdict() const;

 private:
  static constexpr std::uint64_t kRecords = 1000;
  static constexpr std::uint64_t kLetters = 16U << 20U;

  std::uint64_t records_ = 0;  // records with T or U
  std::uint64_t rna_ = 0;
  std::uint64_t letters_ = 0;
};

}  // namespace virnucpro

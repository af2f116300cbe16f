#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace virnucpro {

// True if the letters have U and no T, in either case.
bool is_rna(std::string_view letters);

// Decides whether an input is RNA by its first records with T or U: 1,000 records or 16 MiB of
// letters (docs/reference/semantics.md, section 2). The input is RNA if at least 90 % of these
// records have U and no T. All shards judge by the same records, because records are divided among
// shards only afterwards.
class RnaJudge {
 public:
  void add(std::string_view letters);
  // True if further records cannot change the verdict.
  bool is_settled() const { return records_ == kRecords || letters_ >= kLetters; }
  // Returns an error, which names no place, if the input is RNA; otherwise empty.
  std::optional<Error> verdict() const;

 private:
  static constexpr std::uint64_t kRecords = 1000;
  static constexpr std::uint64_t kLetters = 16U << 20U;

  std::uint64_t records_ = 0;  // records with T or U
  std::uint64_t rna_ = 0;
  std::uint64_t letters_ = 0;
};

}  // namespace virnucpro

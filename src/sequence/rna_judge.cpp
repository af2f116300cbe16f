#include "sequence/rna_judge.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace virnucpro {
namespace {

bool has(std::string_view letters, char upper, char lower) {
  return letters.find(upper) != std::string_view::npos ||
         letters.find(lower) != std::string_view::npos;
}

}  // namespace

bool is_rna(std::string_view letters) {
  return has(letters, 'U', 'u') && !has(letters, 'T', 't');
}

void RnaJudge::add(std::string_view letters) {
  const bool is_of_rna = is_rna(letters);
  if (is_settled() || (!is_of_rna && !has(letters, 'T', 't'))) return;
  ++records_;
  rna_ += is_of_rna ? 1 : 0;
  letters_ += letters.size();
}

std::optional<Error> RnaJudge::verdict() const {
  if (records_ == 0 || 10 * rna_ < 9 * records_) return std::nullopt;
  return Error(
      ErrorKind::kInputRna,
      fmt::format("{} of its first {} sequences with T or U have U and no T; --rna reads U as T, "
                  "--no-rna reads U as the original VirNucPro does",
                  grouped(rna_), grouped(records_)));
}

}  // namespace virnucpro

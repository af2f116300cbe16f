#include "sequence/pair_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

// The endings of the names of two mates.
struct Convention {
  std::string_view first;
  std::string_view second;
};

constexpr std::array<Convention, 7> kConventions{{{"", ""},
                                                  {"/1", "/2"},
                                                  {".1", ".2"},
                                                  {"_1", "_2"},
                                                  {":1", ":2"},
                                                  {"_R1", "_R2"},
                                                  {"_F", "_R"}}};

// True if the names are equal and end in /1 or /2, so both name the same mate.
bool is_one_mate(std::string_view first, std::string_view second) {
  return first == second && (first.ends_with("/1") || first.ends_with("/2"));
}

// Returns the shared name without the endings; empty if the names do not follow the convention.
std::optional<std::string_view> shared_name(const Convention& convention, std::string_view first,
                                            std::string_view second) {
  if (!first.ends_with(convention.first) || !second.ends_with(convention.second)) return {};
  first.remove_suffix(convention.first.size());
  second.remove_suffix(convention.second.size());
  return first == second ? std::optional(first) : std::nullopt;
}

bool are_swapped(std::string_view first, std::string_view second) {
  return std::ranges::any_of(kConventions, [first, second](const Convention& convention) {
    return !convention.first.empty() && shared_name(convention, second, first);
  });
}

std::string text_of(const Convention& convention) {
  if (convention.first.empty()) return "equal names";
  return fmt::format("the names NAME{} and NAME{}", convention.first, convention.second);
}

// Returns the mate's number in Illumina's second word, "[1-9]:[YN]:[0-9]+:"; 0 for other headers.
int illumina_number(std::string_view header) {
  const std::string_view id = sequence_id(header);
  header.remove_prefix(static_cast<std::size_t>(id.data() - header.data()) + id.size());
  const std::string_view word = sequence_id(header);
  if (word.size() < 6 || word[0] < '1' || word[0] > '9') return 0;
  const std::string_view filtered = word.substr(1, 3);
  if (filtered != ":Y:" && filtered != ":N:") return 0;
  const std::size_t end = word.find_first_not_of("0123456789", 4);
  if (end == std::string_view::npos || end == 4 || word[end] != ':') return 0;
  return word[0] - '0';
}

// Throws an error that says how to give the files: the choice of files is wrong, not a record.
[[noreturn]] void fail_files(const Place& place, std::string detail) {
  throw Error(ErrorKind::kInputMalformed, place, std::move(detail))
      .advised("Give the two files of a pair, first reads first: --paired R1 R2.");
}

}  // namespace

std::string PairNames::shared(std::string_view first_header, std::string_view second_header,
                              std::string_view first_file, const Place& second_place) {
  const int first_number = illumina_number(first_header);
  const int second_number = illumina_number(second_header);
  const std::string_view first = sequence_id(first_header);
  const std::string_view second = sequence_id(second_header);
  const bool have_numbers = first_number != 0 && second_number != 0;
  if ((have_numbers && first_number == second_number) || is_one_mate(first, second)) {
    fail_files(second_place, fmt::format("read {} is the same mate in both files", second));
  }
  if ((have_numbers && first_number > second_number) ||
      (!convention_ && are_swapped(first, second))) {
    fail_files(second_place,
               fmt::format("{} has the second reads, and {} has the first reads: swap the files",
                           first_file, second_place.file));
  }
  for (std::size_t k = 0; k < kConventions.size(); ++k) {
    if (k != convention_.value_or(k)) continue;
    if (const auto name = shared_name(kConventions.at(k), first, second)) {
      convention_ = k;
      return std::string(*name);
    }
  }
  const std::string known =
      convention_ ? fmt::format("; earlier pairs have {}", text_of(kConventions.at(*convention_)))
                  : "";
  throw Error(
      ErrorKind::kInputMalformed, second_place,
      fmt::format("read {} is not the mate of {} in {}{}", second, first, first_file, known));
}

}  // namespace virnucpro

#include "sequence/translation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace virnucpro {
namespace {

using Table = std::array<char, 64>;

constexpr std::string_view kStandard =
    "KNKNTTTTRSRSIIMIQHQHPPPPRRRRLLLLEDEDAAAAGGGGVVVV*Y*YSSSS*CWCLFLF";
constexpr std::size_t kTag = 3 * 16 + 0 * 4 + 2;  // TAG
constexpr std::size_t kTga = 3 * 16 + 2 * 4 + 0;  // TGA

struct NumberedTable {
  std::uint32_t number;
  Table table;
};

// Returns the standard genetic code with one change: the stop codon `codon` means `residue`.
constexpr NumberedTable code_of(std::uint32_t number, std::size_t codon, char residue) {
  NumberedTable code{number, {}};
  std::copy(kStandard.begin(), kStandard.end(), code.table.begin());
  code.table.at(codon) = residue;
  return code;
}

constexpr std::array kTables{code_of(1, kTag, '*'), code_of(4, kTga, 'W'), code_of(15, kTag, 'Q'),
                             code_of(25, kTga, 'G')};

}  // namespace

std::optional<std::uint32_t> known_genetic_code(std::uint64_t number) {
  if (number == 11) return 1;
  const auto* const found = std::ranges::find(kTables, number, &NumberedTable::number);
  return found == kTables.end() ? std::nullopt : std::optional(found->number);
}

std::string_view amino_acids(std::uint32_t code) {
  const Table& table = std::ranges::find(kTables, code, &NumberedTable::number)->table;
  return {table.data(), table.size()};
}

}  // namespace virnucpro

#include "run/id_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kLongestRow = 1U << 20U;

[[noreturn]] void fail_at(const std::filesystem::path& file, std::uint64_t line, std::string why) {
  throw Error(ErrorKind::kInputMalformed, Place{.file = file.string()},
              fmt::format("line {}: {}", line, std::move(why)))
      .advised("Correct this table: an id, a tab and a value in each line, each id once.");
}

}  // namespace

std::string and_more(std::uint64_t count) {
  return count == 0 ? "" : fmt::format(" (and {} more ids like it)", grouped(count));
}

IdTable::IdTable(const std::filesystem::path& file) : file_(file) {
  FileLines lines(file, kLongestRow);
  ContentHash hash;
  std::uint64_t twice = 0;  // rows whose id had a row before
  std::uint64_t first_line = 0;
  std::string first;
  std::uint64_t number = 0;
  for (auto found = lines.next(); found != FileLines::Found::kNone; found = lines.next()) {
    ++number;
    if (found == FileLines::Found::kTooLong) fail_at(file_, number, "the line is too long");
    std::string_view text = lines.text();
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty() || text.starts_with('#')) continue;
    hash.update(as_bytes(text));
    hash.update(as_bytes("\n"));
    const std::size_t tab = text.find('\t');
    if (tab == std::string_view::npos || tab == 0 || tab + 1 == text.size() ||
        text.find('\t', tab + 1) != text.npos) {
      fail_at(file_, number, "expected an id, one tab and a value");
    }
    const auto [row, is_new] =
        rows_.try_emplace(std::string(text.substr(0, tab)),
                          Row{.value = std::string(text.substr(tab + 1)), .line = number});
    if (is_new) continue;
    if (twice++ > 0) continue;
    first_line = number;
    first = fmt::format("{} is in line {} already", shown_text(row->first), row->second.line);
  }
  if (twice > 0) fail_at(file_, first_line, first + and_more(twice - 1));
  hash_ = hash.hex();
}

std::string_view IdTable::take(const std::string& id) {
  const auto row = rows_.find(id);
  if (row == rows_.end()) return {};
  if (row->second.used) fail(id, "the runs have two sequences of this id");
  row->second.used = true;
  return row->second.value;
}

void IdTable::require_all_used() const {
  std::uint64_t unused = 0;
  const std::pair<const std::string, Row>* first = nullptr;
  for (const auto& row : rows_) {
    if (row.second.used) continue;
    ++unused;
    if (first == nullptr || row.second.line < first->second.line) first = &row;
  }
  if (unused == 0) return;
  fail(first->first, "no run has a sequence of this id" + and_more(unused - 1));
}

void IdTable::fail(const std::string& id, const std::string& why) const {
  fail_at(file_, rows_.at(id).line, fmt::format("{}: {}", shown_text(id), why));
}

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace virnucpro {

// Returns " (and 3 more ids like it)", for an error that names only the first id; empty for 0.
std::string and_more(std::uint64_t count);

// A table of two columns that a user wrote, "id<TAB>value", one row for each id. Empty lines and
// lines that begin with # are skipped.
class IdTable {
 public:
  // Errors: kInputMissing; kInputMalformed, naming file and line, for a row without exactly one tab
  // and for an id that occurs twice.
  explicit IdTable(const std::filesystem::path& file);

  // Returns the id's value, and marks the row as used; empty if there is no such row. A second call
  // for an id is an error, because the row would stand for two sequences: kInputMalformed.
  std::string_view take(const std::string& id);
  // Throws if a row was never used: the first is named, the others are counted. kInputMalformed.
  void require_all_used() const;
  const std::string& hash() const { return hash_; }  // of the rows
  [[noreturn]] void fail(const std::string& id, const std::string& why) const;

 private:
  struct Row {
    std::string value;
    std::uint64_t line = 0;
    bool used = false;
  };

  std::filesystem::path file_;
  std::unordered_map<std::string, Row> rows_;
  std::string hash_;
};

}  // namespace virnucpro

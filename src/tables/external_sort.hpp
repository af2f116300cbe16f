#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "tables/spill_file.hpp"

namespace virnucpro {

// Sorts rows of key and value by the key's bytes; rows with equal keys keep their order. At most
// `rows` rows and about 3 MiB are in memory. Other rows go to a temporary file (spill_file.hpp) in
// sorted ranges; up to kFanIn ranges are merged at once. At most two files are open. Errors: those
// of SpillFile and Cancel.
class ExternalSort {
 public:
  static constexpr std::size_t kFanIn = 64;
  using Visit = std::function<void(std::string_view key, std::string_view value)>;

  // The Cancel must outlive the sorter.
  ExternalSort(const Directory& directory, std::size_t rows, const Cancel& cancel);

  void add(std::string_view key, std::string_view value);
  // Passes every row in order to `visit`; then the sorter is empty.
  void drain(const Visit& visit);

 private:
  // A row in `text_`: its key, then its value.
  struct Row {
    std::size_t begin;
    std::uint32_t key_size;
    std::uint32_t value_size;
  };
  // A sorted range of the spill file, as byte offsets.
  struct Run {
    std::uint64_t begin;
    std::uint64_t end;
  };
  class RunReader;

  static const std::size_t kMostBytes;  // limit of text_, rows_ and a buffer to sort rows_
  static const std::size_t kRowBytes;

  std::string_view key(const Row& row) const { return {text_.data() + row.begin, row.key_size}; }
  std::string_view value(const Row& row) const {
    return {text_.data() + row.begin + row.key_size, row.value_size};
  }
  std::size_t bytes() const { return text_.size() + rows_.size() * kRowBytes; }
  void sort_rows();
  void spill_rows();
  void free_rows();
  void merge_pass();
  void merge(const SpillFile& file, const Run* first, const Run* last, const Visit& visit) const;

  Directory directory_;
  std::size_t most_rows_;
  const Cancel& cancel_;
  std::string text_;
  std::vector<Row> rows_;
  std::optional<SpillFile> spill_;
  std::vector<Run> runs_;
};

}  // namespace virnucpro

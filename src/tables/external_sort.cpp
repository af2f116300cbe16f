#include "tables/external_sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <queue>
#include <utility>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kReadSize = 16U << 10U;

std::uint32_t row_size(std::string_view text) {
  const auto size = narrow<std::uint32_t>(text.size());
  if (!size) {
    throw Error(ErrorKind::kInternal,
                fmt::format("a row of {} bytes is too long to be sorted", text.size()));
  }
  return *size;
}

// Each row in the file begins with the sizes of key and value in bytes, in native byte order.
using RowHead = std::array<std::uint32_t, 2>;

void append_row(SpillFile& file, std::string_view key, std::string_view value) {
  const RowHead head{row_size(key), row_size(value)};
  file.append(bytes_of(head));
  file.append(key);
  file.append(value);
}

}  // namespace

const std::size_t ExternalSort::kMostBytes = 3U << 20U;
const std::size_t ExternalSort::kRowBytes = 2 * sizeof(Row);

// Reads the rows of one sorted range through a buffer.
class ExternalSort::RunReader {
 public:
  RunReader(const SpillFile& file, const Run& run) : file_(&file), rest_(run) {}

  // Reads the next row; returns false at the end of the range.
  bool next() {
    position_ += row_size_;
    row_size_ = 0;
    if (position_ == buffer_.size() && rest_.begin == rest_.end) return false;
    ensure(sizeof(RowHead));
    const auto head = value_at<RowHead>(buffer_, position_);
    key_size_ = head[0];
    row_size_ = sizeof(head) + std::size_t{head[0]} + head[1];
    ensure(row_size_);
    return true;
  }

  std::string_view key() const { return row().substr(sizeof(RowHead), key_size_); }
  std::string_view value() const { return row().substr(sizeof(RowHead) + key_size_); }

 private:
  std::string_view row() const { return {buffer_.data() + position_, row_size_}; }

  // Makes sure that the buffer has at least `size` bytes after the position.
  void ensure(std::size_t size) {
    if (buffer_.size() - position_ >= size) return;
    buffer_.erase(0, std::exchange(position_, 0));
    const std::size_t had = buffer_.size();
    const std::size_t more = std::max(kReadSize, size - had);
    buffer_.resize(
        had + static_cast<std::size_t>(std::min<std::uint64_t>(more, rest_.end - rest_.begin)));
    file_->read(rest_.begin, std::span<char>(buffer_).subspan(had));
    rest_.begin += buffer_.size() - had;
  }

  const SpillFile* file_;
  Run rest_;
  std::string buffer_;
  std::size_t position_ = 0;
  std::size_t row_size_ = 0;
  std::size_t key_size_ = 0;
};

ExternalSort::ExternalSort(const Directory& directory, std::size_t rows, const Cancel& cancel)
    : directory_(directory), most_rows_(rows), cancel_(cancel) {}

void ExternalSort::add(std::string_view key, std::string_view value) {
  if (rows_.size() >= most_rows_ || bytes() >= kMostBytes) spill_rows();
  if (rows_.empty()) {
    // Reserve all memory at once: growing would need two copies, and unused pages cost nothing.
    text_.reserve(kMostBytes);
    rows_.reserve(std::min(most_rows_, kMostBytes / kRowBytes + 1));
  }
  rows_.push_back({text_.size(), row_size(key), row_size(value)});
  text_ += key;
  text_ += value;
}

void ExternalSort::sort_rows() {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [this](const Row& a, const Row& b) { return key(a) < key(b); });
}

void ExternalSort::spill_rows() {
  sort_rows();
  if (!spill_) spill_.emplace(directory_);
  const std::uint64_t begin = spill_->size();
  for (const Row& row : rows_) append_row(*spill_, key(row), value(row));
  runs_.push_back({begin, spill_->size()});
  rows_.clear();
  text_.clear();
}

void ExternalSort::free_rows() {
  text_ = {};
  rows_ = {};
}

void ExternalSort::merge(const SpillFile& file, const Run* first, const Run* last,
                         const Visit& visit) const {
  std::vector<RunReader> readers;
  for (const Run* run = first; run != last; ++run) readers.emplace_back(file, *run);
  // If keys are equal, the row of the earlier range comes first, because it was added earlier.
  const auto later = [&readers](std::size_t a, std::size_t b) {
    const int order = readers[a].key().compare(readers[b].key());
    return order != 0 ? order > 0 : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heads(later);
  for (std::size_t k = 0; k < readers.size(); ++k) {
    if (readers[k].next()) heads.push(k);
  }
  while (!heads.empty()) {
    cancel_.check();
    const std::size_t smallest = heads.top();
    heads.pop();
    visit(readers[smallest].key(), readers[smallest].value());
    if (readers[smallest].next()) heads.push(smallest);
  }
}

void ExternalSort::merge_pass() {
  SpillFile merged(directory_);
  std::vector<Run> longer;
  for (std::size_t k = 0; k < runs_.size(); k += kFanIn) {
    const std::uint64_t begin = merged.size();
    const std::size_t count = std::min(kFanIn, runs_.size() - k);
    merge(*spill_, runs_.data() + k, runs_.data() + k + count,
          [&merged](std::string_view key, std::string_view value) {
            append_row(merged, key, value);
          });
    longer.push_back({begin, merged.size()});
  }
  merged.flush();
  spill_.emplace(std::move(merged));
  runs_ = std::move(longer);
}

void ExternalSort::drain(const Visit& visit) {
  if (runs_.empty()) {
    sort_rows();
    for (const Row& row : rows_) {
      cancel_.check();
      visit(key(row), value(row));
    }
    free_rows();
    return;
  }
  spill_rows();
  free_rows();
  spill_->flush();
  while (runs_.size() > kFanIn) merge_pass();
  merge(*spill_, runs_.data(), runs_.data() + runs_.size(), visit);
  runs_.clear();
  spill_.reset();
}

}  // namespace virnucpro

#include "tables/contig_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sequence/chunker.hpp"

namespace virnucpro {

ContigTable::ContigTable(const FilePlace& place, std::uint64_t chunk_size)
    : file_(place), chunk_size_(chunk_size) {
  file_.write(fmt::format("ID\t{}\tlength\tchunks\tbases_scored\tinput\n", kContigCallColumns));
}

void ContigTable::sort(const Directory& folder, std::size_t rows_in_memory, const Cancel& cancel) {
  sort_.emplace(folder, rows_in_memory, cancel);
}

void ContigTable::finish() {
  if (!sort_) return;
  sort_->drain([this](std::string_view, std::string_view row) { file_.write(row); });
}

void ContigTable::add(const SequencePart& part, const std::vector<ChunkScore>& chunks) {
  const ChunkPlan plan(part.length, chunk_size_);
  for (const ChunkScore& chunk : chunks) {
    const auto [begin, end] = plan.at(chunk.chunk);
    bases_scored_ += end - std::min(end, std::max(begin, scored_end_));
    scored_end_ = end;
  }
}

void ContigTable::end(const SequencePart& last, const ContigCall& call, std::string_view input) {
  const std::string row = fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", last.id, columns_of(call),
                                      last.length, last.chunks, bases_scored_, input);
  if (sort_) {
    sort_->add(natural_key(last.id), row);
  } else {
    file_.write(row);
  }
  bases_scored_ = 0;
  scored_end_ = 0;
}

// The key is: text, NUL, the number of digits in two bytes, the digits; then again text, NUL, …
std::string natural_key(std::string_view id) {
  constexpr std::string_view kDigits = "0123456789";
  std::string key;
  while (true) {
    const std::size_t begin = std::min(id.find_first_of(kDigits), id.size());
    key.append(id.substr(0, begin)).push_back('\0');
    id.remove_prefix(begin);
    if (id.empty()) return key;
    const std::size_t end = std::min(id.find_first_not_of(kDigits), id.size());
    std::string_view digits = id.substr(0, end);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    key.push_back(static_cast<char>(digits.size() >> 8U & 0xffU));
    key.push_back(static_cast<char>(digits.size() & 0xffU));
    key.append(digits);
    id.remove_prefix(end);
  }
}

}  // namespace virnucpro

// shards_tool FOLDER SHARDS SEQUENCES
//
// Makes finished runs without computing anything: one for each shard of an input (FOLDER/0,
// FOLDER/1 …) and one for the whole input (FOLDER/whole).
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "journal/journal.hpp"
#include "journal/run_files.hpp"
#include "journal/run_folder.hpp"
#include "run/shard.hpp"

// These replace fsync() and fdatasync(), also for SQLite: the tool writes thousands of files, which
// need not survive a power cut.
extern "C" int fsync(int /*fd*/) {
  return 0;
}
extern "C" int fdatasync(int /*fd*/) {
  return 0;
}

namespace {

namespace fs = std::filesystem;
using virnucpro::Journal;
using virnucpro::SequencePart;

Journal::Fingerprint fingerprint(std::uint64_t shard, std::uint64_t shards) {
  return {{"inputs", "1"},
          {"input_000000", "/reads.fa"},
          {"input_name_000000", "reads.fa"},
          {"reference", ""},
          {"paired", "false"},
          {"shard", fmt::format("{}/{}", shard, shards)},
          {"chunk_size", "100"},
          {"min_length", "0"},
          {"keep_intermediate", "false"},
          {"stem", "reads"},
          {"precision", "fp32"},
          {"min_score", "0"},
          {"min_share", "0.5"},
          {"rule", "majority"},
          {"rollup", ""},
          {"min_tier", "review"},
          {"rollup_sort", "input"},
          {"sharding", "letters, pairs together"}};
}

SequencePart sequence(std::uint64_t number) {
  const std::uint64_t chance = virnucpro::splitmix64(number);
  SequencePart part;
  part.id = fmt::format("sequence_{:08}", number);
  part.length = 100 + chance % 100;
  part.chunks = 2;
  part.letters_hash = static_cast<std::uint32_t>(chance);
  for (std::uint64_t k = 0; k < 2; ++k) {
    const float virus = static_cast<float>(chance >> (8 * k) & 0xffU) / 255.0F;
    part.frames.push_back({.chunk = k, .name = 0, .scores = {.others = 1 - virus, .virus = virus}});
  }
  return part;
}

void write_run(const fs::path& folder, const Journal::Fingerprint& print,
               const virnucpro::InputEntry& input, std::vector<SequencePart> parts) {
  fs::create_directories(folder);
  const virnucpro::RunFolder run(folder);
  Journal journal = Journal::create_aside(run.place(virnucpro::run_files::kJournal), print);
  virnucpro::Unit unit;
  virnucpro::UnitSize size;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    size.add(parts[k]);
    unit.parts.push_back(std::move(parts[k]));
    if (!size.is_full() && k + 1 < parts.size()) continue;
    journal.append(unit);
    unit = {.input = 0, .index = unit.index + 1, .parts = {}};
    size = {};
  }
  journal.record_input(0, input);
  journal.publish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  const fs::path folder(argv[1]);
  const std::uint64_t shards = virnucpro::parse_count(argv[2]).value_or(1);
  const std::uint64_t sequences = virnucpro::parse_count(argv[3]).value_or(0);
  std::vector<std::vector<SequencePart>> dealt(shards);
  std::vector<SequencePart> whole;
  virnucpro::ShardSums sums(shards);
  for (std::uint64_t k = 0; k < sequences; ++k) {
    const std::size_t shard = sums.least();
    whole.push_back(sequence(k));
    sums.add(shard, whole.back().length);
    dealt[shard].push_back(whole.back());
  }
  const virnucpro::InputEntry input{
      .name = "reads.fa", .records = sequences, .bytes = 200 * sequences, .hash = "a hash"};
  write_run(folder / "whole", fingerprint(0, 1), input, std::move(whole));
  for (std::uint64_t k = 0; k < shards; ++k) {
    write_run(folder / std::to_string(k), fingerprint(k, shards), input, std::move(dealt[k]));
  }
  return 0;
}

// contigs_tool CHUNK_SIZE input|natural OUT < chunks
//
// Writes contigs.tsv, by the rule viral-ngs with its default settings, from a table without a
// header: sequence, length, number of chunks, chunk, score of others, score of virus, separated by
// tabs. A sequence without a scored chunk has one row, with "-" for the last three.

#include <charconv>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "tables/contig_table.hpp"
#include "tables/sequence_summary.hpp"

namespace {

using virnucpro::ChunkScore;
using virnucpro::ContigTable;
using virnucpro::SequencePart;

float score_of(std::string_view text) {
  float score = 0;
  std::from_chars(text.data(), text.data() + text.size(), score);
  return score;
}

struct Sequence {
  SequencePart part;
  std::vector<ChunkScore> chunks;
};

void write(const Sequence& sequence, ContigTable& table) {
  virnucpro::CallRule rule;
  rule.use_viral_ngs();
  virnucpro::SequenceSummary summary(rule);
  summary.add(sequence.part, sequence.chunks);
  table.add(sequence.part, sequence.chunks);
  table.end(sequence.part, summary.contig(), "a.fa");
}

void write_all(ContigTable& table) {
  std::optional<Sequence> current;
  for (std::string line; std::getline(std::cin, line);) {
    const auto fields = virnucpro::split_list(line, '\t');
    if (!current || current->part.id != fields.at(0)) {
      if (current) write(*current, table);
      current.emplace();
      current->part.id = fields.at(0);
      current->part.length = virnucpro::parse_count(fields.at(1)).value();
      current->part.chunks = virnucpro::parse_count(fields.at(2)).value();
    }
    if (fields.at(3) == "-") continue;
    current->chunks.push_back(
        {.chunk = virnucpro::parse_count(fields.at(3)).value(),
         .scores = {.others = score_of(fields.at(4)), .virus = score_of(fields.at(5))}});
  }
  if (current) write(*current, table);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: contigs_tool CHUNK_SIZE input|natural OUT < chunks\n";
    return 2;
  }
  try {
    const std::filesystem::path out(argv[3]);
    const virnucpro::Cancel never;
    ContigTable table(out, virnucpro::parse_count(argv[1]).value());
    if (std::string_view(argv[2]) == "natural") {
      table.sort(virnucpro::Directory(out.parent_path()), 100, never);
    }
    write_all(table);
    table.finish();
    table.file().commit();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}

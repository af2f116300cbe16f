// labels_tool ALIGNMENTS join|apart counts|ignored OUT < chunks
//
// Labels the reads of a BAM or SAM file, by the rule viral-ngs with its default settings. stdin is
// a table of chunks without a header: sequence, score of others, score of virus, separated by tabs.
// References without a chunk are unclassified.

#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "sequence/mapping_file.hpp"
#include "tables/read_labels.hpp"

namespace {

using virnucpro::ContigCall;
using virnucpro::ContigRollup;

std::map<std::string, ContigRollup> read_chunks() {
  std::map<std::string, ContigRollup> rollups;
  for (std::string line; std::getline(std::cin, line);) {
    const auto fields = virnucpro::split_list(line, '\t');
    ContigRollup& rollup =
        rollups.try_emplace(std::string(fields.at(0)), virnucpro::RollupRule{}).first->second;
    rollup.add({.others = static_cast<float>(virnucpro::parse_number(fields.at(1)).value()),
                .virus = static_cast<float>(virnucpro::parse_number(fields.at(2)).value())});
  }
  return rollups;
}

void label(const std::string& alignments, const virnucpro::LabelRule& rule,
           const std::filesystem::path& out) {
  const virnucpro::Cancel never;
  std::map<std::string, ContigRollup> rollups = read_chunks();
  virnucpro::MappingFile file(alignments, never);
  const virnucpro::ReferenceList& references = file.references();
  std::vector<ContigCall> calls;
  for (std::uint32_t k = 0; k < references.size(); ++k) {
    calls.push_back(
        rollups.try_emplace(references.at(k).name, virnucpro::RollupRule{}).first->second.result());
  }
  virnucpro::ReadLabels labels(
      rule, references,
      [&calls](std::uint32_t reference) -> const ContigCall& { return calls.at(reference); },
      virnucpro::Directory(out.parent_path()), 5, never);
  while (const auto alignment = file.next()) labels.add(*alignment);
  std::ofstream table(out);
  labels.finish([&table](std::string_view text) { table << text; });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: labels_tool ALIGNMENTS join|apart counts|ignored OUT < chunks\n";
    return 2;
  }
  try {
    label(argv[1],
          {.mates_apart = std::string_view(argv[2]) == "apart",
           .ignores_unclassified = std::string_view(argv[3]) == "ignored"},
          argv[4]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}

#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "journal/journal.hpp"

namespace virnucpro {

// Markup that reports must escape.
inline constexpr const char* kMarkup = "<script>alert(1)</script>\"'&|`";

inline SequencePart sample_part(std::string id, std::uint64_t length, std::vector<float> scores) {
  SequencePart part;
  part.id = std::move(id);
  part.length = length;
  part.chunks = scores.size();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    part.frames.push_back({.chunk = k, .scores = {.others = 1 - scores[k], .virus = scores[k]}});
  }
  return part;
}

inline Journal::Fingerprint sample_print() {
  return {{"stem", "reads"}, {"threshold", "0.5"}, {"chunk_size", "500"}};
}

// Makes a journal of one input, in one unit, in `directory`.
inline Journal sample_run(const std::filesystem::path& directory, std::vector<SequencePart> parts,
                          const Journal::Fingerprint& print = sample_print(),
                          const std::string& input = "reads.fa") {
  Journal journal = Journal::create(directory / "run.db", print);
  const std::uint64_t records = parts.size();
  if (!parts.empty()) journal.append({.index = 0, .parts = std::move(parts)});
  journal.record_input(0, {.name = input, .records = records, .bytes = 9, .hash = "00ff"});
  journal.finish();
  return journal;
}

}  // namespace virnucpro

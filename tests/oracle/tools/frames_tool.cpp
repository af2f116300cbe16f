// Prints or writes the program's chunks and frames, for the oracle test.
//   frames_tool [CODE [rna]]       reads lines "size<TAB>sequence" from stdin; for each prints
//                                  "chunk<TAB>begin<TAB>end" and, below its chunk,
//                                  "frame<TAB>name<TAB>nucleotides<TAB>protein", then "."
//   frames_tool FASTA SIZE PREFIX  writes PREFIX_chunked{SIZE}.fa, PREFIX_identified_nucleotide.fa
//                                  and PREFIX_identified_protein.faa, as the original does
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <variant>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "sequence/chunker.hpp"
#include "sequence/frames.hpp"
#include "sequence/input_set.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

std::string_view part(std::string_view sequence, const Chunk& chunk) {
  return sequence.substr(chunk.begin, chunk.end - chunk.begin);
}

void print_rows(std::uint64_t size, std::string_view sequence, const Translation& translation) {
  const ChunkPlan plan(sequence.size(), size);
  for (std::uint64_t i = 0; i < plan.count(); ++i) {
    const Chunk chunk = plan.at(i);
    fmt::print("chunk\t{}\t{}\n", chunk.begin, chunk.end);
    for (const Frame& frame : stop_free_frames(part(sequence, chunk), translation)) {
      fmt::print("frame\t{}\t{}\t{}\n", kFrameNames.at(frame.name), frame.nucleotides,
                 frame.protein);
    }
  }
  fmt::print(".\n");
}

int answer_lines(const Translation& translation) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::size_t tab = line.find('\t');
    print_rows(std::stoull(line.substr(0, tab)), std::string_view(line).substr(tab + 1),
               translation);
  }
  return 0;
}

struct Texts {
  std::string chunks;
  std::string nucleotides;
  std::string proteins;
};

void add_record(const InputRecord& record, std::uint64_t size, Texts& texts) {
  const std::string& letters = record.record.letters;
  const ChunkPlan plan(letters.size(), size);
  for (std::uint64_t i = 0; i < plan.count(); ++i) {
    const std::string_view chunk = part(letters, plan.at(i));
    const std::string id = fmt::format("{}_chunk_{}", record.id, i + 1);
    append_fasta_60(texts.chunks, id, chunk);
    for (const Frame& frame : stop_free_frames(chunk)) {
      const std::string frame_id = id + std::string(kFrameNames.at(frame.name));
      append_fasta_line(texts.nucleotides, frame_id, frame.nucleotides);
      append_fasta_line(texts.proteins, frame_id, frame.protein);
    }
  }
}

int write_files(const std::string& fasta, std::uint64_t size, const std::string& prefix) {
  const Cancel cancel;
  InputSet inputs({.paths = {fasta}}, cancel);
  Texts texts;
  while (const auto event = inputs.next()) {
    if (const auto* failure = std::get_if<InputFailure>(&*event)) throw Error(failure->error);
    if (const auto* record = std::get_if<InputRecord>(&*event)) add_record(*record, size, texts);
  }
  std::ofstream(fmt::format("{}_chunked{}.fa", prefix, size)) << texts.chunks;
  std::ofstream(prefix + "_identified_nucleotide.fa") << texts.nucleotides;
  std::ofstream(prefix + "_identified_protein.faa") << texts.proteins;
  return 0;
}

}  // namespace
}  // namespace virnucpro

int main(int argc, char** argv) {
  try {
    if (argc <= 3) {
      const auto code = static_cast<std::uint32_t>(argc > 1 ? std::stoul(argv[1]) : 1);
      return virnucpro::answer_lines({.genetic_code = code, .rna = argc == 3});
    }
    if (argc == 4) return virnucpro::write_files(argv[1], std::stoull(argv[2]), argv[3]);
    fmt::print(stderr, "usage: frames_tool [CODE [rna]] | FASTA SIZE PREFIX\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return 1;
}

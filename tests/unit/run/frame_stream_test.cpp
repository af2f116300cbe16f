#include "run/frame_stream.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <random>

#include "sequence/chunker.hpp"
#include "sequence/frames.hpp"
#include "sequence/record.hpp"
#include "tokens/esm_alphabet.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A stream's output for one sequence, with its parts joined.
struct Whole {
  SequencePart part;
  std::vector<FrameTokens> tokens;
  std::uint64_t unknown_letters = 0;
  std::string chunk_fasta;
  std::string nucleotide_fasta;
  std::string protein_fasta;
  std::size_t parts = 0;
};

struct NamedSequence {
  std::string id;
  std::string letters;
};

// The same, computed in the simplest way.
Whole expected_whole(const NamedSequence& sequence, const FrameStreamSettings& settings) {
  Whole out;
  const std::string& letters = sequence.letters;
  out.part.id = sequence.id;
  out.part.length = letters.size();
  out.unknown_letters = count_outside_iupac(letters);
  if (letters.empty()) out.part.skip = Skip::kEmpty;
  if (!letters.empty() && letters.size() < settings.min_length) out.part.skip = Skip::kTooShort;
  if (out.part.skip != Skip::kNone) return out;
  const ChunkPlan plan(letters.size(), settings.chunk_size);
  out.part.chunks = plan.count();
  for (std::uint64_t chunk = 0; chunk < plan.count(); ++chunk) {
    const auto [begin, end] = plan.at(chunk);
    const std::string text = letters.substr(begin, end - begin);
    append_fasta_60(out.chunk_fasta, chunk_id(sequence.id, chunk), text);
    for (const Frame& frame : stop_free_frames(text)) {
      const std::string id = frame_id(sequence.id, chunk, frame.name);
      out.part.frames.push_back({.chunk = chunk, .name = frame.name});
      out.tokens.push_back(frame_tokens(frame.protein, frame.nucleotides));
      append_fasta_line(out.nucleotide_fasta, id, frame.nucleotides);
      append_fasta_line(out.protein_fasta, id, frame.protein);
    }
  }
  return out;
}

void expect_equal(const Whole& whole, const Whole& expected) {
  const auto places = [](const std::vector<FrameScore>& frames) {
    std::vector<std::pair<std::uint64_t, std::uint8_t>> all;
    for (const FrameScore& frame : frames) all.emplace_back(frame.chunk, frame.name);
    return all;
  };
  EXPECT_EQ(whole.part.id, expected.part.id);
  EXPECT_EQ(whole.part.length, expected.part.length);
  EXPECT_EQ(whole.part.chunks, expected.part.chunks);
  EXPECT_EQ(whole.part.skip, expected.part.skip);
  EXPECT_EQ(places(whole.part.frames), places(expected.part.frames));
  EXPECT_EQ(whole.unknown_letters, expected.unknown_letters);
  EXPECT_EQ(whole.chunk_fasta, expected.chunk_fasta);
  EXPECT_EQ(whole.nucleotide_fasta, expected.nucleotide_fasta);
  EXPECT_EQ(whole.protein_fasta, expected.protein_fasta);
  ASSERT_EQ(whole.tokens.size(), expected.tokens.size());
  for (std::size_t i = 0; i < whole.tokens.size(); ++i) {
    EXPECT_EQ(whole.tokens[i].esm, expected.tokens[i].esm);
    EXPECT_EQ(whole.tokens[i].dna, expected.tokens[i].dna);
  }
}

// Appends a part to the earlier parts of its sequence.
void join(Whole& whole, FramePart part) {
  EXPECT_EQ(part.tokens.size(), part.part.frames.size());
  EXPECT_EQ(part.record != nullptr, part.part.last);
  if (part.record) {
    EXPECT_EQ(part.record->record.letters.size(), part.part.length);
  }
  std::vector<FrameScore> frames = std::move(whole.part.frames);
  frames.insert(frames.end(), part.part.frames.begin(), part.part.frames.end());
  whole.part = std::move(part.part);
  whole.part.frames = std::move(frames);
  std::move(part.tokens.begin(), part.tokens.end(), std::back_inserter(whole.tokens));
  whole.unknown_letters += part.unknown_letters;
  whole.chunk_fasta += part.chunk_fasta;
  whole.nucleotide_fasta += part.nucleotide_fasta;
  whole.protein_fasta += part.protein_fasta;
  ++whole.parts;
}

struct FrameStreams : testing::Test {
  // Random sequences of all lengths; some contain letters that are no bases.
  std::vector<NamedSequence> write_random(const std::string& name, std::size_t count) {
    std::vector<NamedSequence> sequences;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t most = std::vector<std::size_t>{1, 40, 300, 900}[random() % 4];
      const bool plain = random() % 3 > 0;
      const std::string letters =
          i % 7 == 3 ? ""
                     : random_text(random, plain ? "ACGT" : "ACGTacgtNRU-", 1 + random() % most);
      sequences.push_back({fmt::format("{}_{}", name, i), letters});
      append_fasta_60(text, sequences.back().id + " words", letters);
    }
    write_text(directory / name, text);
    return sequences;
  }
  InputSettings paths(std::initializer_list<const char*> names) const {
    InputSettings settings;
    for (const char* name : names) settings.paths.push_back((directory / name).string());
    return settings;
  }
  // One line per event: its input, and a sequence's id or how the input ended.
  std::vector<std::string> events(const InputSettings& input_settings,
                                  const FrameStreamSettings& settings) {
    InputSet inputs(input_settings, cancel);
    FrameStream stream(inputs, settings, &tiny_tokenizer(), counters, cancel);
    std::vector<std::string> lines;
    while (const auto event = stream.next()) {
      if (const auto* part = std::get_if<FramePart>(&*event)) {
        if (part->part.last) lines.push_back(fmt::format("{} {}", part->part.input, part->part.id));
      } else if (const auto* end = std::get_if<InputEnd>(&*event)) {
        lines.push_back(fmt::format("{} end {}", end->input, end->records));
      } else {
        const auto& failure = std::get<InputFailure>(*event);
        lines.push_back(fmt::format("{} {}", failure.input, failure.error.info().name));
      }
    }
    return lines;
  }

  TempDir directory;
  std::mt19937 random{11};
  Cancel cancel;
  RunCounters counters;
};

TEST_F(FrameStreams, GiveWhatOneAfterTheOtherWouldGive) {
  const std::vector<NamedSequence> sequences = write_random("a.fa", 60);
  const InputSettings input = paths({"a.fa"});
  for (const std::size_t threads : {1U, 4U}) {
    for (const std::uint64_t chunk_size : {1U, 3U, 50U, 300U}) {
      const FrameStreamSettings settings{.chunk_size = chunk_size,
                                         .min_length = chunk_size == 50 ? 30U : 0U,
                                         .keep_text = true,
                                         .keep_records = true,
                                         .threads = threads};
      InputSet inputs(input, cancel);
      FrameStream stream(inputs, settings, &tiny_tokenizer(), counters, cancel);
      std::size_t most_parts = 0;
      for (const NamedSequence& sequence : sequences) {
        SCOPED_TRACE(fmt::format("{} in chunks of {}", sequence.id, chunk_size));
        Whole whole;
        do {
          auto event = stream.next();
          ASSERT_TRUE(event);
          ASSERT_TRUE(std::holds_alternative<FramePart>(*event));
          join(whole, std::get<FramePart>(std::move(*event)));
        } while (!whole.part.last);
        expect_equal(whole, expected_whole(sequence, settings));
        most_parts = std::max(most_parts, whole.parts);
      }
      if (chunk_size == 1) {
        EXPECT_GT(most_parts, 2U);
      }
      const auto end = stream.next();
      ASSERT_TRUE(end && std::holds_alternative<InputEnd>(*end));
      EXPECT_EQ(std::get<InputEnd>(*end).records, sequences.size());
      EXPECT_FALSE(stream.next());
    }
  }
}

TEST_F(FrameStreams, SayHowEachInputEndedInItsPlace) {
  write_text(directory / "a.fa", ">a1\nACGTACGTA\n>a2\n\n");
  write_text(directory / "cut.fq", "@c1\nACGT\n+\nIIII\n@c2\nACGT\n+\nII");
  write_text(directory / "void.fa", "");
  write_text(directory / "b.fa", ">b1\nACG\n");
  for (const std::size_t threads : {1U, 4U}) {
    EXPECT_THAT(events(paths({"a.fa", "cut.fq", "none.fa", "b.fa"}), {.threads = threads}),
                ElementsAre("0 a1", "0 a2", "0 end 2", "1 c1", "1 input-truncated",
                            "2 input-missing", "3 b1", "3 end 1"));
  }
  EXPECT_THAT(events({}, {}), IsEmpty());
}

TEST_F(FrameStreams, TakeASequenceOfExactlyTheLeastLength) {
  write_text(directory / "a.fa", ">short\nACGTACGTA\n>enough\nACGTACGTAC\n");
  events(paths({"a.fa"}), {.chunk_size = 50, .min_length = 10});
  EXPECT_EQ(counters.sequences.get(), 2U);
  EXPECT_EQ(counters.chunks.get(), 1U);
}

TEST_F(FrameStreams, Count) {
  write_text(directory / "a.fa",
             ">a\nACGTACGTACGTACGTACGT\n>b\nTTAATTAATTGGTTAATTAA\n>c\n\n>d\nAC\n");
  events(paths({"a.fa"}), {.chunk_size = 10, .min_length = 3});
  EXPECT_EQ(counters.sequences.get(), 4U);
  EXPECT_EQ(counters.bases.get(), 42U);
  EXPECT_EQ(counters.chunks.get(), 4U);
  std::uint64_t frames = 0;
  for (const char* const chunk : {"ACGTACGTAC", "GTACGTACGT", "TTAATTAATT", "GGTTAATTAA"}) {
    frames += stop_free_frames(chunk).size();
  }
  EXPECT_EQ(counters.frames.get(), frames);
  EXPECT_EQ(counters.chunks_framed.get(), 4U);
  EXPECT_EQ(counters.chunks_known.get(), 0U);
  EXPECT_EQ(counters.input_bytes.get(), 58U);
  EXPECT_EQ(counters.input_bytes_total.get(), 58U);
}

TEST_F(FrameStreams, CountWhatIsKnownApart) {
  write_text(directory / "a.fa", ">a\nACGTACGTACGTACGTACGT\n>b\nTTAATTAATTGGTTAATTAA\n");
  events(paths({"a.fa"}), {.chunk_size = 10, .known_parts = {{0, 1}}});
  EXPECT_EQ(counters.chunks.get(), 4U);
  EXPECT_GE(counters.chunks_known.get(), 1U);
  EXPECT_EQ(counters.chunks_known.get() + counters.chunks_framed.get(), 4U);
}

TEST_F(FrameStreams, KeepTextsAndRecordsOnlyWhenAsked) {
  write_text(directory / "a.fa", ">a\nACGTACGTACGT\n");
  InputSet inputs(paths({"a.fa"}), cancel);
  FrameStream stream(inputs, {}, &tiny_tokenizer(), counters, cancel);
  const auto event = stream.next();
  const auto& part = std::get<FramePart>(event.value());
  EXPECT_EQ(part.record, nullptr);
  EXPECT_EQ(part.chunk_fasta + part.nucleotide_fasta + part.protein_fasta, "");
}

TEST_F(FrameStreams, TakeProteinsAndNucleotidesAsTheyAre) {
  write_text(directory / "p.faa", ">p\nMKV*XB\n>q\nL\n");
  for (const FrameSource source : {FrameSource::kProteins, FrameSource::kNucleotides}) {
    InputSet inputs(paths({"p.faa"}), cancel);
    const bool proteins = source == FrameSource::kProteins;
    FrameStream stream(inputs, {.source = source}, proteins ? nullptr : &tiny_tokenizer(), counters,
                       cancel);
    for (const char* const letters : {"MKV*XB", "L"}) {
      const auto event = stream.next();
      const auto& part = std::get<FramePart>(event.value());
      ASSERT_EQ(part.tokens.size(), 1U);
      EXPECT_EQ(part.part.frames.size(), 1U);
      EXPECT_TRUE(part.part.last);
      const FrameTokens expected = frame_tokens(letters, letters);
      EXPECT_EQ(part.tokens[0].esm, proteins ? expected.esm : std::vector<std::uint8_t>{});
      EXPECT_EQ(part.tokens[0].dna, proteins ? std::vector<std::uint16_t>{} : expected.dna);
    }
  }
}

TEST_F(FrameStreams, RefuseAnEmptyProtein) {
  write_text(directory / "p.faa", ">p\nMK\n>q\n\n>r\nMK\n");
  InputSet inputs(paths({"p.faa"}), cancel);
  FrameStream stream(inputs, {.source = FrameSource::kProteins, .threads = 4}, nullptr, counters,
                     cancel);
  const Error error = thrown([&] {
    while (stream.next()) continue;
  });
  EXPECT_EQ(error.kind(), ErrorKind::kInputMalformed);
  EXPECT_EQ(error.place().file, (directory / "p.faa").string());
  EXPECT_EQ(error.place().record, 2U);
  EXPECT_FALSE(stream.next());
}

TEST_F(FrameStreams, MayEndEarly) {
  write_random("a.fa", 300);
  for (const std::size_t taken : {0U, 1U, 100U}) {
    InputSet inputs(paths({"a.fa"}), cancel);
    FrameStream stream(inputs, {.chunk_size = 30, .threads = 4}, &tiny_tokenizer(), counters,
                       cancel);
    for (std::size_t i = 0; i < taken; ++i) EXPECT_TRUE(stream.next());
  }
}

TEST_F(FrameStreams, StopWhenCancelled) {
  write_random("a.fa", 3000);
  InputSet inputs(paths({"a.fa"}), cancel);
  FrameStream stream(inputs, {.chunk_size = 3, .threads = 4}, &tiny_tokenizer(), counters, cancel);
  EXPECT_TRUE(stream.next());
  cancel.request(SIGTERM);
  EXPECT_EQ(thrown_kind([&] {
              while (stream.next()) continue;
            }),
            ErrorKind::kTerminated);
}

}  // namespace
}  // namespace virnucpro

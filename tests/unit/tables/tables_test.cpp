#include "tables/tables.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/hash.hpp"
#include "unit/file_size_limit.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

FrameScore frame(std::uint64_t chunk, std::uint8_t name, float others, float virus) {
  return {.chunk = chunk, .name = name, .scores = {.others = others, .virus = virus}};
}

SequencePart part(std::uint32_t input, std::string id, std::uint64_t length, std::uint64_t chunks,
                  std::vector<FrameScore> frames) {
  return {.input = input,
          .id = std::move(id),
          .length = length,
          .chunks = chunks,
          .frames = std::move(frames)};
}

// All cases of semantics.md, section 6 in one run: a long sequence in two units, ties, failed
// frames, bytes above 0x7f, an id that occurs twice, and a damaged input between two good ones.
std::vector<Unit> sample_units() {
  SequencePart begin = part(0, "b", 1400, 3, {frame(0, 0, 0.25F, 0.75F), frame(0, 3, 0.9F, 0.1F)});
  begin.last = false;
  SequencePart end = part(0, "b", 1400, 3, {frame(1, 1, 0.5F, 0.5F)});
  end.frames.push_back({.chunk = 2, .name = 0, .failed = true});
  SequencePart empty = part(0, "none", 0, 0, {});
  empty.skip = Skip::kEmpty;
  SequencePart tiny = part(2, "tiny", 20, 0, {});
  tiny.skip = Skip::kTooShort;
  SequencePart lost = part(2, "lost", 300, 1, {});
  lost.frames.push_back({.chunk = 0, .name = 0, .failed = true});
  return {{.input = 0, .index = 0, .parts = {begin}},
          {.input = 0, .index = 1, .parts = {end, empty}},
          {.input = 1, .index = 0, .parts = {part(1, "void", 500, 1, {frame(0, 0, 0.0F, 1.0F)})}},
          {.input = 2,
           .index = 0,
           .parts = {part(2, "\xc3\xa9", 500, 1, {frame(0, 2, 1.2e-5F, 0.99998F)}), tiny, lost,
                     part(2, "b", 500, 1, {frame(0, 5, 1.0F, 0.0F)}), part(2, "a", 90, 1, {})}}};
}

Journal sample_journal(const std::filesystem::path& path) {
  Journal journal = Journal::create(path, {});
  for (const Unit& unit : sample_units()) journal.append(unit);
  journal.record_input(0, {.name = "one.fa", .records = 2});
  journal.record_input(1, {.name = "two\t.fa.gz",
                           .records = 1,
                           .failed = true,
                           .error = "input-truncated",
                           .message = "two.fa.gz: record 2, byte 600: input ends too early",
                           .record = 2,
                           .offset = 600});
  journal.record_input(2, {.name = "three.fa", .records = 5});
  journal.finish();
  return journal;
}

constexpr const char* kFrames =
    "Sequence_ID\tPrediction\tscore1\tscore2\n"
    "b_chunk_1F1\tvirus\t0.25\t0.75\n"
    "b_chunk_1R1\tothers\t0.9\t0.1\n"
    "b_chunk_2F2\tothers\t0.5\t0.5\n"
    "\xc3\xa9_chunk_1F3\tvirus\t1.2e-05\t0.99998\n"
    "b_chunk_1R3\tothers\t1.0\t0.0\n";
constexpr const char* kConsensus =
    "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1\n"
    "b_chunk_1\tFalse\t0.9\t0.75\n"
    "b_chunk_1\tFalse\t1.0\t0.0\n"
    "b_chunk_2\tTrue\t0.5\t0.5\n"
    "\xc3\xa9_chunk_1\tTrue\t1.2e-05\t0.99998\n";
constexpr const char* kSequences =
    "sequence_id\tlength\tchunks\tchunks_scored\tframes\tvirus_chunks\tmax_virus_score\t"
    "mean_virus_score\tcall\treason\tinput\n"
    "b\t1400\t3\t2\t3\t1\t0.75\t0.625\tvirus\tfailed: 1 frames\tone.fa\n"
    "none\t0\t0\t0\t0\t0\tNA\tNA\tunscored\tempty\tone.fa\n"
    "\xc3\xa9\t500\t1\t1\t1\t1\t0.99998\t0.99998\tvirus\tNA\tthree.fa\n"
    "tiny\t20\t0\t0\t0\t0\tNA\tNA\tunscored\tshorter than --min-length\tthree.fa\n"
    "lost\t300\t1\t0\t0\t0\tNA\tNA\tunscored\tfailed: 1 frames\tthree.fa\n"
    "b\t500\t1\t1\t1\t0\t0.0\t0.0\tothers\tNA\tthree.fa\n"
    "a\t90\t1\t0\t0\t0\tNA\tNA\tunscored\tno stop-free frame\tthree.fa\n";

struct Tables : testing::Test {
  TableCounts write(const Journal& journal, const std::string& stem,
                    const Cancel& cancel = {}) const {
    return write_tables(journal, settings(stem), cancel);
  }
  TableSettings settings(const std::string& stem) const {
    return {.directory = RunFolder(directory.path()),
            .stem = stem,
            .chunk_size = 500,
            .inputs = {"one.fa", "two\t.fa.gz", "three.fa"}};
  }
  Journal sample() const { return sample_journal(directory / "run.db"); }

  const TempDir directory;
};

TEST_F(Tables, AreTheseBytes) {
  const Journal journal = sample();
  TableSettings sorted = settings("one");
  sorted.rows_in_sort = 1;
  const TableCounts counts = write_tables(journal, sorted, Cancel());
  const auto merged = directory / "one_merged";
  EXPECT_EQ(read_text(merged / "prediction_results.txt"), kFrames);
  EXPECT_EQ(read_text(merged / "prediction_results_highestscore.csv"), kConsensus);
  EXPECT_EQ(read_text(directory / "sequences.tsv"), kSequences);
  EXPECT_EQ(counts.sequences, 7U);
  EXPECT_EQ(counts.virus_sequences, 2U);
  EXPECT_EQ(counts.unscored_sequences, 4U);
  EXPECT_THAT(counts.unscored_by_reason, testing::Each(1U));  // one of each reason
  EXPECT_EQ(counts.chunks_scored, 4U);
  EXPECT_EQ(counts.frames, 5U);
  EXPECT_EQ(counts.failed_frames, 2U);
  EXPECT_EQ(counts.duplicate_ids, 1U);
  EXPECT_EQ(counts.odd_ids, 0U);
}

TEST_F(Tables, SayWhereOnASequenceItsChunksLie) {
  const Journal journal = sample();
  TableSettings strict = settings("one");
  strict.rule = CallRule(0.6, 0.5);
  strict.more.bed = true;
  write_tables(journal, strict, Cancel());
  EXPECT_EQ(read_text(directory / "chunks.bed"),
            "b\t0\t500\tothers\t750\t.\t0.9\t0.75\t2\n"
            "b\t466\t966\tothers\t500\t.\t0.5\t0.5\t1\n"
            "b\t932\t1400\tunscored\t0\t.\tNA\tNA\t0\n"
            "\xc3\xa9\t0\t500\tvirus\t999\t.\t1.2e-05\t0.99998\t1\n"
            "lost\t0\t300\tunscored\t0\t.\tNA\tNA\t0\n"
            "b\t0\t500\tothers\t0\t.\t1.0\t0.0\t1\n"
            "a\t0\t90\tunscored\t0\t.\tNA\tNA\t0\n");
}

TEST_F(Tables, SayWhatTheChunksOfEachSequenceSayTogether) {
  const Journal journal = sample();
  TableSettings rolled = settings("one");
  rolled.rule.use_viral_ngs();
  write_tables(journal, rolled, Cancel());
  EXPECT_EQ(
      read_text(directory / "contigs.tsv"),
      "ID\tcall\ttier\tweighted_delta\tn_chunks\tn_confident_viral\tn_confident_nonviral\t"
      "n_ambiguous\tviral_proportion\tnonviral_proportion\tlength\tchunks\tbases_scored\tinput\n"
      "b\tAmbiguous\treview\t-0.15\t2\t0\t0\t1\t0.0\t0.0\t1400\t3\t966\tone.fa\n"
      "none\tUnclassified\t\t0.0\t0\t0\t0\t0\t0.0\t0.0\t0\t0\t0\tone.fa\n"
      "\xc3\xa9\tViral\tlow_confidence\t1.0\t1\t1\t0\t0\t1.0\t0.0\t500\t1\t500\tthree.fa\n"
      "tiny\tUnclassified\t\t0.0\t0\t0\t0\t0\t0.0\t0.0\t20\t0\t0\tthree.fa\n"
      "lost\tUnclassified\t\t0.0\t0\t0\t0\t0\t0.0\t0.0\t300\t1\t0\tthree.fa\n"
      "b\tNon-viral\tlow_confidence\t-1.0\t1\t0\t1\t0\t0.0\t1.0\t500\t1\t500\tthree.fa\n"
      "a\tUnclassified\t\t0.0\t0\t0\t0\t0\t0.0\t0.0\t90\t1\t0\tthree.fa\n");
}

TEST(TableCounts, CountIdsThatCouldActOnATerminal) {
  TableCounts counts;
  for (const char* id : {"a", "b\xc3\xa9", "c\x1b[2J", "d\xff", "e\xe2\x80\xae"})
    counts.look_at(id);
  EXPECT_EQ(counts.odd_ids, 3U);
  EXPECT_EQ(counts.first_odd_id, "c\\x1b[2J");
}

TEST(TableCounts, AreOfReadsIfNineOfTenScoredSequencesHaveOneChunk) {
  TableCounts counts;
  EXPECT_FALSE(counts.is_of_reads());
  counts.sequences = 20;
  counts.unscored_sequences = 10;
  counts.single_chunk_sequences = 9;
  EXPECT_TRUE(counts.is_of_reads());
  counts.single_chunk_sequences = 8;
  EXPECT_FALSE(counts.is_of_reads());
}

TEST_F(Tables, CountScoredSequencesOfOneChunk) {
  const TableCounts counts = write(sample(), "one");
  std::istringstream rows(read_text(directory / "sequences.tsv"));
  std::uint64_t single = 0;
  for (std::string id, length, chunks, scored, rest;
       rows >> id >> length >> chunks >> scored && std::getline(rows, rest);) {
    single += chunks == "1" && scored == "1" ? 1U : 0U;
  }
  EXPECT_GT(single, 0U);
  EXPECT_EQ(counts.single_chunk_sequences, single);
}

TEST_F(Tables, TakeTheRuleOfCalls) {
  const Journal journal = sample();
  const auto viruses = [&](const CallRule& rule) {
    TableSettings ruled = settings("one");
    ruled.rule = rule;
    return write_tables(journal, ruled, Cancel()).virus_sequences;
  };
  EXPECT_EQ(viruses({0, 0.5}), 2U);
  EXPECT_EQ(viruses({0, 0.500001}), 1U);
  EXPECT_EQ(viruses({0.51, 0.5}), 1U) << "the virus chunk of b scores 0.5";
  EXPECT_THAT(read_text(directory / "sequences.tsv"),
              testing::HasSubstr("\t0\t0.75\t0.625\tothers"));
  EXPECT_EQ(viruses({0.999981, 0}), 3U) << "a share of 0 needs no virus chunk";
}

TEST_F(Tables, AreHeadersWithoutSequences) {
  Journal journal = Journal::create(directory / "run.db", {});
  journal.record_input(0, {.name = "empty.fa"});
  journal.finish();
  const TableCounts counts = write(journal, "e");
  EXPECT_EQ(counts.sequences, 0U);
  const auto merged = directory / "e_merged";
  EXPECT_EQ(read_text(merged / "prediction_results.txt"),
            "Sequence_ID\tPrediction\tscore1\tscore2\n");
  EXPECT_EQ(read_text(merged / "prediction_results_highestscore.csv"),
            "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1\n");
}

// Some thousands of rows, many with one id: the same bytes for any number sorted in memory.
std::string hash_of_tables(std::size_t rows_in_sort) {
  const TempDir directory;
  Journal journal = Journal::create(directory / "run.db", {});
  for (std::uint64_t index = 0; index < 200; ++index) {
    Unit unit{.index = index, .parts = {}};
    for (std::uint64_t k = 0; k < 10; ++k) {
      const std::uint64_t random = splitmix64(index * 10 + k);
      const auto score = static_cast<float>(random >> 40U) * 0x1p-24F;
      const auto name = static_cast<std::uint8_t>(random % 6);
      unit.parts.push_back(part(0, fmt::format("id{}", random % 500), 900, 2,
                                {frame(random % 2, name, score, 1.0F - score)}));
    }
    journal.append(unit);
  }
  journal.record_input(0, {.name = "many.fa"});
  journal.finish();
  write_tables(journal,
               {.directory = RunFolder(directory.path()),
                .stem = "many",
                .inputs = {"many.fa"},
                .rows_in_sort = rows_in_sort},
               Cancel());
  ContentHash hash;
  for (const char* name : {"many_merged/prediction_results.txt",
                           "many_merged/prediction_results_highestscore.csv", "sequences.tsv"}) {
    hash.update(as_bytes(read_text(directory / name)));
  }
  return hash.hex();
}

TEST_F(Tables, KeepTheirHash) {
  const std::string golden = "6396591313c088b0ded85ba11f9d16a6";
  EXPECT_EQ(hash_of_tables(1U << 20U), golden);
  EXPECT_EQ(hash_of_tables(2), golden);
  EXPECT_EQ(hash_of_tables(77), golden);
}

TEST_F(Tables, AppearTogetherOrNotAtAll) {
  write(sample(), "one");  // so that the record of the run's files does not grow below
  std::filesystem::remove(directory / "sequences.tsv");
  for (const auto& table : std::filesystem::directory_iterator(directory / "one_merged")) {
    std::filesystem::remove(table);
  }
  EXPECT_EQ(kind_with_full_disk(150,
                                [&] {
                                  const Journal journal = Journal::open(directory / "run.db");
                                  write(journal, "one");
                                }),
            static_cast<int>(ErrorKind::kOutputWrite));
  EXPECT_FALSE(std::filesystem::exists(directory / "sequences.tsv"));
  EXPECT_TRUE(std::filesystem::is_empty(directory / "one_merged"));
}

TEST_F(Tables, AreNotThereWhenCancelled) {
  const Journal journal = sample();
  Cancel cancel;
  cancel.request(SIGTERM);
  EXPECT_EQ(thrown_kind([&] { write(journal, "one", cancel); }), ErrorKind::kTerminated);
  EXPECT_FALSE(std::filesystem::exists(directory / "sequences.tsv"));
  EXPECT_FALSE(std::filesystem::exists(directory / "sequences.tsv.virnucpro-partial"));
  EXPECT_TRUE(std::filesystem::is_empty(directory / "one_merged"));
}

TEST_F(Tables, RefuseASequenceWithoutEnd) {
  Journal journal = Journal::create(directory / "run.db", {});
  Unit unit{.index = 0, .parts = {part(0, "a", 900, 2, {})}};
  unit.parts[0].last = false;
  journal.append(unit);
  journal.record_input(0, {.name = "a.fa"});
  journal.finish();
  EXPECT_EQ(thrown_kind([&] { write(journal, "a"); }), ErrorKind::kJournalDamaged);
  EXPECT_TRUE(std::filesystem::is_empty(directory / "a_merged"));
}

// An interrupted run's journal has no entry for the input that was being read.
TEST_F(Tables, NameTheInputThatWasBeingRead) {
  Journal journal = Journal::create(directory / "run.db", {});
  journal.append({.input = 0, .index = 0, .parts = {part(0, "a", 30, 1, {})}});
  journal.append({.input = 1, .index = 0, .parts = {part(1, "b", 30, 1, {})}});
  journal.record_input(0, {.name = "one.fa"});
  TableSettings settings{.directory = RunFolder(directory.path()), .stem = "a"};
  settings.inputs = {"one.fa", "two\t.fa"};
  write_tables(journal, settings, Cancel());
  const std::string text = read_text(directory / "sequences.tsv");
  EXPECT_THAT(text, testing::HasSubstr("no stop-free frame\tone.fa\nb\t"));
  EXPECT_THAT(text, testing::EndsWith("no stop-free frame\ttwo\\x09.fa\n"));
  settings.inputs.pop_back();
  EXPECT_EQ(thrown_kind([&] { write_tables(journal, settings, Cancel()); }),
            ErrorKind::kJournalDamaged);
}

TEST_F(Tables, CallAsTheSequenceTableDoes) {
  const Journal journal = sample();
  using Call = std::tuple<std::uint32_t, std::uint64_t, bool>;
  std::vector<Call> calls;
  for_each_call(journal, {}, Cancel(), [&](std::uint32_t input, std::uint64_t number, bool virus) {
    calls.emplace_back(input, number, virus);
  });
  EXPECT_EQ(calls, (std::vector<Call>{{0, 1, true},
                                      {0, 2, false},
                                      {2, 1, true},
                                      {2, 2, false},
                                      {2, 3, false},
                                      {2, 4, false},
                                      {2, 5, false}}));
}

TEST_F(Tables, ListFailedInputsAndForgetThem) {
  const Journal journal = sample();
  const auto path = directory / "failed_inputs.txt";
  write_failed_inputs(journal.inputs(), RunFolder(directory.path()));
  EXPECT_EQ(read_text(path),
            "name\terror\trecord\toffset\tmessage\n"
            "two\\x09.fa.gz\tinput-truncated\t2\t600\t"
            "two.fa.gz: record 2, byte 600: input ends too early\n");
  write_failed_inputs({{.name = "one.fa"}}, RunFolder(directory.path()));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace virnucpro

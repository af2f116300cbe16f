#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <random>
#include <set>

#include "journal/early_scores.hpp"
#include "journal/sqlite.hpp"
#include "run/frame_stream.hpp"
#include "run/predict.hpp"
#include "run/run_fingerprint.hpp"
#include "run/start_models.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/length.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

// Interrupted runs are made from finished ones by removing the last rows of their journal.
// One run, in the folder `reference`, serves all tests: each finds its files and the inputs as that
// run left them, under the same paths, which tables name.
struct Resumed : testing::Test {
  static void SetUpTestSuite() {
    folder = std::make_unique<TempDir>();
    write_random("a.fa", 90);
    write_random("b.fa", 60);
    write_text(*folder / "cut.fa", ">c\nACGTACGTACGT\n>cut\nACGT" + std::string(1, '\0'));
    RunCounters counters;
    predict(settings("reference"), counters, {}, {});
    unchanged = std::make_unique<TempDir>();
    copy(*folder, *unchanged);
  }
  static void TearDownTestSuite() {
    folder.reset();
    unchanged.reset();
  }

  Resumed() {
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      std::filesystem::remove_all(entry.path());
    }
    copy(*unchanged, directory);
  }

  static void copy(const TempDir& from, const TempDir& to) {
    std::filesystem::copy(from.path(), to.path(), std::filesystem::copy_options::recursive);
  }

  static void write_random(const std::string& file, std::size_t count) {
    static std::mt19937 random{23};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += fmt::format(">{}_{}\n{}\n", file, i,
                          random_text(random, "ACGT", i % 7 == 3 ? 0 : 20 + random() % 120));
    }
    write_text(*folder / file, text);
  }
  static PredictSettings settings(const char* output) {
    PredictSettings settings;
    for (const char* input : {"a.fa", "cut.fa", "b.fa"}) {
      settings.inputs.paths.push_back((*folder / input).string());
    }
    settings.models = {.dnabert_s = "synthetic:dnabert-s-tiny",
                       .esm2 = "synthetic:esm2_tiny",
                       .classifier = "synthetic",
                       .lookup = tiny_lookup()};
    settings.chunk_size = 50;
    settings.output = *folder / output;
    settings.stem = "x";
    settings.classifier_name = "custom";
    settings.existing = Existing::kResume;
    return settings;
  }
  RunSummary run(const PredictSettings& settings) {
    return predict(settings, counters, cancel, {});
  }
  std::vector<std::string> tables(const char* output) const {
    return {read_text(directory / output / "x_merged/prediction_results.txt"),
            read_text(directory / output / "x_merged/prediction_results_highestscore.csv"),
            read_text(directory / output / "sequences.tsv"),
            read_text(directory / output / "failed_inputs.txt")};
  }
  std::uint64_t step() const {
    const std::uint64_t steps = test_length() == TestLength::kCheck ? 3 : 8;
    return std::max<std::uint64_t>(units() / steps, 1);
  }
  std::uint64_t units() const { return Journal::open(directory / "reference/run.db").units(); }
  // How many inputs end within the first `units` units; a journal may then have only these.
  std::uint64_t inputs_within(std::uint64_t units) const {
    std::uint64_t inputs = 3;
    std::uint64_t at = 0;
    Journal::open(directory / "reference/run.db").for_each_unit([&](const Unit& unit) {
      if (at++ == units) inputs = unit.input;
    });
    return inputs;
  }
  // Leaves the files of a run that was killed after `units` units and `inputs` inputs.
  void interrupt_after(std::uint64_t units, std::uint64_t inputs) const {
    std::filesystem::remove_all(directory / "out");
    std::filesystem::create_directory(directory / "out");
    std::filesystem::copy(directory / "reference/run.db", directory / "out/run.db");
    write_text(directory / "out/sequences.tsv.virnucpro-partial", "half a ta");
    SqliteDatabase journal(directory / "out/run.db", nullptr);
    journal.execute("DELETE FROM completion");
    journal.execute(
        fmt::format("DELETE FROM units WHERE unit NOT IN "
                    "(SELECT unit FROM units ORDER BY unit LIMIT {})",
                    units));
    journal.execute(fmt::format("DELETE FROM inputs WHERE input >= {}", inputs));
  }
  std::string refusal(const PredictSettings& settings) {
    return reason_of(ErrorKind::kJournalMismatch, [&] { run(settings); });
  }

  static inline std::unique_ptr<TempDir> folder, unchanged;
  const TempDir& directory = *folder;
  RunCounters counters;
  Cancel cancel;
};

TEST_F(Resumed, HasTheSameTablesWhereverItWasInterrupted) {
  for (std::uint64_t kept = 0; kept <= units(); kept += step()) {
    for (const std::uint64_t inputs : std::set{std::uint64_t{0}, inputs_within(kept)}) {
      interrupt_after(kept, inputs);
      PredictSettings again = settings("out");
      again.compute.threads = 1 + kept % 3;
      again.compute.token_budget = 200 + 100 * inputs;
      again.check_journal = inputs != 0;
      const RunSummary summary = run(again);
      EXPECT_EQ(tables("out"), tables("reference")) << kept << " units, " << inputs << " inputs";
      EXPECT_EQ(summary.inputs.size(), 3U);
      EXPECT_FALSE(std::filesystem::exists(directory / "out/sequences.tsv.virnucpro-partial"));
    }
  }
}

TEST_F(Resumed, ComputesNothingAgain) {
  interrupt_after(units(), 3);
  RunCounters fresh;
  predict(settings("out"), fresh, cancel, {});
  EXPECT_EQ(fresh.pipeline.totals().batches, 0U);
  EXPECT_EQ(fresh.sequences.get(), 151U);  // read again for the comparison
}

// No unit's frames are computed again, and all others once.
TEST_F(Resumed, ComputesTheFramesThatHaveNoScore) {
  std::uint64_t known = 0;
  std::uint64_t all = 0;
  const std::uint64_t kept = units() / 2;
  std::uint64_t at = 0;
  Journal::open(directory / "reference/run.db").for_each_unit([&](const Unit& unit) {
    for (const SequencePart& part : unit.parts) {
      if (unit.input == 1) continue;  // its frames are in no table
      all += part.frames.size();
      if (at < kept) known += part.frames.size();
    }
    ++at;
  });
  ASSERT_GT(known, 0U);
  interrupt_after(kept, 0);
  PredictSettings again = settings("out");
  again.compute.deduplicate = false;
  RunCounters fresh;
  predict(again, fresh, cancel, {});
  EXPECT_EQ(tables("out"), tables("reference"));
  EXPECT_GE(fresh.pipeline.totals().frames, all - known);
  EXPECT_LE(fresh.pipeline.totals().frames, all - known + 20) << "those of the cut input, too";
}

TEST_F(Resumed, OfAFinishedRunWritesItsTablesAgain) {
  std::filesystem::remove(directory / "reference/sequences.tsv");
  const auto consensus = tables("reference")[1];
  PredictSettings again = settings("reference");
  again.rule = CallRule(0, 0);
  run(again);
  EXPECT_EQ(tables("reference")[1], consensus);
  EXPECT_THAT(tables("reference")[2], HasSubstr("virus"));
}

TEST_F(Resumed, WritesTheTablesThatASignalPrevented) {
  Cancel terminated;
  const auto cut_short = [&] {
    predict(settings("out"), counters, terminated, {},
            {.on_phase = [&](Phase) { terminated.request(SIGTERM); }});
  };
  EXPECT_EQ(thrown_kind(cut_short), ErrorKind::kTerminated);
  EXPECT_TRUE(Journal::open(directory / "out/run.db").finished());
  EXPECT_FALSE(std::filesystem::exists(directory / "out/sequences.tsv"));
  run(settings("out"));
  EXPECT_EQ(tables("out"), tables("reference"));
}

TEST_F(Resumed, IsRefusedWithOtherSettings) {
  interrupt_after(1, 0);
  PredictSettings other = settings("out");
  other.chunk_size = 60;
  other.min_length = 5;
  EXPECT_THAT(refusal(other),
              HasSubstr("the chunk size (was 50, is 60); --min-length (was 0, is 5)"));
  other = settings("out");
  other.models.esm2 = "synthetic:esm2_tiny:9";
  EXPECT_THAT(refusal(other), HasSubstr("the weights of ESM-2 (was "));
  other = settings("out");
  other.inputs.paths.pop_back();
  EXPECT_THAT(refusal(other), HasSubstr("the number of inputs (was 3, is 2)"));
  other = settings("out");
  other.keep_intermediate = true;
  EXPECT_THAT(refusal(other), HasSubstr("--keep-intermediate (was false, is true)"));
}

TEST_F(Resumed, IsRefusedWithAnotherInput) {
  interrupt_after(units(), 3);
  std::string text = read_text(directory / "a.fa");
  const auto letter = text.find('\n') + 5;
  text[letter] = text[letter] == 'A' ? 'C' : 'A';
  write_text(directory / "a.fa", text);
  EXPECT_THAT(refusal(settings("out")),
              HasSubstr("a.fa changed since the run began: sequence a.fa_0 is not the one"));
}

TEST_F(Resumed, IsRefusedWithAHeaderThatChanged) {
  interrupt_after(units(), 3);
  std::string text = read_text(directory / "b.fa");
  text.insert(text.find('\n'), " more");
  write_text(directory / "b.fa", text);
  EXPECT_THAT(refusal(settings("out")), HasSubstr("b.fa changed since the run began: it had "));
}

// Damaged inputs are in no table, so they bind nobody. Their tables are those of a fresh run.
TEST_F(Resumed, TakesInAnInputMadeWhole) {
  const std::string damaged = read_text(directory / "cut.fa");
  bool finished = false;
  for (const char* made : {">c\nACGTACGTACGT\n>cut\nACGT\n", ">d\nACGTACGTACGTA\n", ">c\nACGTA\n",
                           ">c\nACGTACGTACGT\n", ""}) {
    interrupt_after(units(), 3);
    finished = !finished;
    if (finished) {
      std::filesystem::copy_file(directory / "reference/run.db", directory / "out/run.db",
                                 std::filesystem::copy_options::overwrite_existing);
    }
    write_text(directory / "cut.fa", made);
    run(settings("out"));
    std::filesystem::remove_all(directory / "fresh");
    run(settings("fresh"));
    EXPECT_EQ(tables("out"), tables("fresh")) << made;
    {
      const Journal journal = Journal::open(directory / "out/run.db");
      EXPECT_TRUE(journal.finished());
      EXPECT_FALSE(journal.inputs()[1].failed);
    }
    write_text(directory / "cut.fa", damaged);
    refusal(settings("out"));  // now it binds
  }
}

TEST_F(Resumed, TakesInAnInputThatWasAway) {
  std::filesystem::rename(directory / "a.fa", directory / "away.fa");
  run(settings("out"));
  EXPECT_TRUE(Journal::open(directory / "out/run.db").inputs()[0].failed);
  std::filesystem::rename(directory / "away.fa", directory / "a.fa");
  run(settings("out"));
  EXPECT_EQ(tables("out"), tables("reference"));
}

// An input that cannot be read stops the run, but leaves the journal as it is: the run goes on when
// the input is back.
TEST_F(Resumed, ChangesNothingForAnInputThatCannotBeRead) {
  for (std::uint64_t kept = 0; kept <= units(); kept += step()) {
    for (const std::uint64_t inputs : std::set{std::uint64_t{0}, inputs_within(kept)}) {
      interrupt_after(kept, inputs);
      const std::string before = read_text(directory / "out/run.db");
      std::filesystem::rename(directory / "a.fa", directory / "away.fa");
      if (kept == 0 && inputs == 0) {
        run(settings("out"));
      } else {
        EXPECT_EQ(thrown_kind([&] { run(settings("out")); }), ErrorKind::kInputMissing) << kept;
        EXPECT_TRUE(read_text(directory / "out/run.db") == before) << kept;
      }
      std::filesystem::rename(directory / "away.fa", directory / "a.fa");
      run(settings("out"));
      EXPECT_EQ(tables("out"), tables("reference")) << kept;
    }
  }
}

TEST_F(Resumed, ChangesNothingForAnInputThatWasCut) {
  const std::string whole = read_text(directory / "b.fa");
  for (const std::uint64_t inputs : {2U, 3U}) {
    interrupt_after(units(), inputs);
    const std::string before = read_text(directory / "out/run.db");
    for (const std::size_t size : {whole.size() / 2, std::size_t{0}}) {
      write_text(directory / "b.fa", whole.substr(0, size));
      EXPECT_THAT(refusal(settings("out")), HasSubstr("b.fa changed since the run began"));
      write_text(directory / "b.fa", whole.substr(0, size) + '\0');
      EXPECT_THAT(refusal(settings("out")), HasSubstr("the run has scores of this input"));
      EXPECT_TRUE(read_text(directory / "out/run.db") == before) << size;
    }
    write_text(directory / "b.fa", whole);
    run(settings("out"));
    EXPECT_EQ(tables("out"), tables("reference"));
  }
}

TEST_F(Resumed, IsBoundByNothingBeforeAScore) {
  interrupt_after(0, 0);
  PredictSettings other = settings("out");
  other.chunk_size = 60;
  run(other);
  EXPECT_EQ(Journal::open(directory / "out/run.db").fingerprint().at("chunk_size"), "60");
}

// Rows of frames whose unit is not complete save their computing, whatever became of the order.
TEST_F(Resumed, UsesEarlyScores) {
  interrupt_after(0, 0);
  {
    // Leaves the scores of an earlier session: the scores of all frames, and one score without a
    // frame.
    PredictSettings reading = settings("out");
    InputSet inputs(reading.inputs, cancel);
    const RunModels models = start_models(reading.models, reading.compute, {}, cancel);
    FrameStream frames(inputs, {.chunk_size = 50}, &*models.tokenizer, counters, cancel);
    Journal journal = Journal::open(directory / "out/run.db");
    std::vector<EarlyScore> scores;
    scores.push_back({.frame = {5, 5}, .scores = {0.5F, 0.5F}});
    while (const auto event = frames.next()) {
      const auto* part = std::get_if<FramePart>(&*event);
      for (std::size_t k = 0; part != nullptr && k < part->tokens.size(); ++k) {
        scores.push_back({frame_hash(part->tokens[k]), {0.125F, 0.875F}});
      }
    }
    journal.keep_early(3, scores);
  }
  RunCounters fresh;
  predict(settings("out"), fresh, cancel, {});
  EXPECT_EQ(fresh.pipeline.totals().batches, 0U);
  EXPECT_EQ(fresh.frames_scored.get(), fresh.frames.get());
  EXPECT_THAT(tables("out")[0], HasSubstr("\tvirus\t0.125\t0.875\n"));
  EXPECT_THAT(tables("out")[0], testing::Not(HasSubstr("others")));
  EXPECT_TRUE(Journal::open(directory / "out/run.db").early_scores().empty());
}

TEST_F(Resumed, IsRefusedWithAnInputThatLostItsEnd) {
  interrupt_after(units(), 0);
  write_text(directory / "b.fa", ">b.fa_0\nACGT\n");
  EXPECT_THAT(refusal(settings("out")), HasSubstr("b.fa changed since the run began"));
}

// For every point of interruption: nothing that the refused run read is in the journal.
TEST_F(Resumed, GoesOnWithTheInputAsItWasAfterARefusal) {
  const std::string whole = read_text(directory / "b.fa");
  const std::string other = ">new\nACGTACGTACGT\n" + whole;
  std::uint64_t first = 0;  // the first unit with a part of it
  Journal::open(directory / "reference/run.db").for_each_unit([&](const Unit& unit) {
    if (unit.input < 2) ++first;
  });
  for (std::uint64_t kept = first + 1; kept <= units(); kept += step()) {
    interrupt_after(kept, inputs_within(kept));
    write_text(directory / "b.fa", other);
    EXPECT_THAT(refusal(settings("out")), HasSubstr("b.fa changed")) << kept << " units";
    write_text(directory / "b.fa", whole);
    run(settings("out"));
    EXPECT_EQ(tables("out"), tables("reference")) << kept << " units";
  }
}

TEST_F(Resumed, IsRefusedWithAnInputThatGrewAfterItsEnd) {
  write_text(directory / "b.fa", read_text(directory / "b.fa") + ">more\nACGTACGTACGT\n");
  PredictSettings finished = settings("reference");
  const std::string why = "b.fa changed since the run began: sequence more is new";
  EXPECT_THAT(refusal(finished), HasSubstr(why));
  interrupt_after(units(), 3);
  EXPECT_THAT(refusal(settings("out")), HasSubstr(why));
}

TEST_F(Resumed, SaysWhatTheRunNowIs) {
  interrupt_after(1, 0);
  PredictSettings moved = settings("out");
  std::filesystem::rename(directory / "a.fa", directory / "moved.fa");
  moved.inputs.paths[0] = (directory / "moved.fa").string();
  moved.rule = CallRule(0.75, 0.25);
  run(moved);
  const auto print = Journal::open(directory / "out/run.db").fingerprint();
  EXPECT_EQ(print.at("min_score"), "0.75");
  EXPECT_EQ(print.at("min_share"), "0.25");
  EXPECT_EQ(print.at(input_path_key(0)), moved.inputs.paths[0]);
}

// The journal knows of a bad input even when that ended the run.
TEST_F(Resumed, KnowsTheInputsBeforeTheBadOneThatEndedIt) {
  PredictSettings strict = settings("strict");
  strict.strict_input = true;
  EXPECT_NE(thrown_kind([&] { run(strict); }), ErrorKind::kInternal);
  const auto inputs = Journal::open(directory / "strict/run.db").inputs();
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_FALSE(inputs[0].failed);
  EXPECT_EQ(inputs[0].records, 90U);
  EXPECT_TRUE(inputs[1].failed);
  strict.strict_input = false;
  run(strict);
  EXPECT_EQ(tables("strict"), tables("reference"));
}

TEST_F(Resumed, StartsOverWhereItIsToldTo) {
  interrupt_after(units(), 3);
  PredictSettings over = settings("out");
  over.start_over = true;
  over.chunk_size = 60;
  run(over);
  EXPECT_EQ(Journal::open(directory / "out/run.db").fingerprint().at("chunk_size"), "60");
  // Also if the change is only noticed while the inputs are read.
  interrupt_after(units(), 3);
  write_text(directory / "b.fa", ">new\nACGTACGT\n");
  over = settings("out");
  over.start_over = true;
  run(over);
  EXPECT_THAT(tables("out")[2], HasSubstr("\nnew\t"));
  write_text(directory / "out/run.db", "rubbish");
  run(over);
  EXPECT_THAT(tables("out")[2], HasSubstr("\nnew\t"));
}

TEST_F(Resumed, WithIntermediatesStartsOver) {
  PredictSettings keeping = settings("kept");
  keeping.keep_intermediate = true;
  run(keeping);
  const std::string chunks = read_text(directory / "kept/x_chunked50.fa");
  std::filesystem::remove(directory / "kept/embeddings.h5");
  run(keeping);
  EXPECT_EQ(read_text(directory / "kept/x_chunked50.fa"), chunks);
  EXPECT_TRUE(std::filesystem::exists(directory / "kept/embeddings.h5"));
}

TEST_F(Resumed, OfAFinishedRunKeepsItsIntermediates) {
  PredictSettings keeping = settings("kept");
  keeping.keep_intermediate = true;
  run(keeping);
  std::filesystem::remove(directory / "kept/sequences.tsv");
  const std::string embeddings = read_text(directory / "kept/embeddings.h5");
  RunCounters fresh;
  predict(keeping, fresh, cancel, {});
  EXPECT_EQ(fresh.pipeline.totals().batches, 0U);
  EXPECT_EQ(read_text(directory / "kept/embeddings.h5"), embeddings);
  EXPECT_EQ(tables("kept"), tables("reference"));
  // Nothing can be added to these files.
  const std::string before = read_text(directory / "kept/run.db");
  write_text(directory / "cut.fa", ">c\nACGTACGTACGT\n>cut\nACGT\n");
  EXPECT_THAT(refusal(keeping), HasSubstr("cut.fa failed during the run"));
  EXPECT_TRUE(read_text(directory / "kept/run.db") == before);
  keeping.start_over = true;
  run(keeping);
  EXPECT_NE(tables("kept"), tables("reference"));
}

TEST_F(Resumed, KeepsNoJournalWhereNoneIsWanted) {
  PredictSettings without = settings("without");
  without.journal = false;
  run(without);
  EXPECT_EQ(tables("without"), tables("reference"));
  EXPECT_FALSE(std::filesystem::exists(directory / "without/run.db"));
  EXPECT_FALSE(std::filesystem::exists(directory / "without/run.db.virnucpro-partial"));
}

TEST_F(Resumed, HoldsOneShardOfTheSequences) {
  const std::uint64_t whole = run(settings("whole")).counts.sequences;
  PredictSettings shard = settings("first");
  shard.shard = {.index = 0, .count = 2};
  const std::uint64_t first = run(shard).counts.sequences;
  shard.output = directory / "second";
  shard.shard.index = 1;
  EXPECT_EQ(run(shard).counts.sequences + first, whole);
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, whole);
}

}  // namespace
}  // namespace virnucpro

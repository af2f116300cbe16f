#include "run/predict.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "run/close_calls.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/run/hdf5_read_back.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kMissing = "missing.fa";

struct Predictions : testing::Test {
  Predictions() {
    write_random("a.fa", "a", 12);
    write_random("b.fa", "b", 9);
    // Good sequences, then a damaged record.
    const std::string good = write_random("cut.fa", "c", 5);
    write_text(directory / "cut.fa", good + ">cut\nACGT" + std::string(1, '\0'));
  }

  std::string write_random(const std::string& file, const std::string& name, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      text += fmt::format(">{}{} of {}\n{}\n", name, i, file,
                          random_text(random, "ACGT", i == 3 ? 0 : 20 + random() % 120));
    }
    write_text(directory / file, text);
    return text;
  }
  PredictSettings settings(std::initializer_list<const char*> inputs) const {
    PredictSettings settings;
    for (const char* input : inputs) {
      settings.inputs.paths.push_back((directory / input).string());
    }
    settings.models = {.dnabert_s = "synthetic:dnabert-s-tiny",
                       .esm2 = "synthetic:esm2_tiny",
                       .classifier = "synthetic",
                       .lookup = tiny_lookup()};
    settings.compute.threads = 2;
    settings.chunk_size = 50;
    settings.output = directory / "out";
    settings.stem = "x";
    settings.classifier_name = "custom";
    return settings;
  }
  RunSummary run(const PredictSettings& settings) {
    return predict(
        settings, counters, cancel, [this](std::string_view text) { sunk += text; }, events);
  }
  ErrorKind kind_of_run(const PredictSettings& settings) {
    return thrown_kind([&] { run(settings); });
  }
  // The three tables, the last without its column of inputs.
  std::vector<std::string> tables(const std::filesystem::path& output) const {
    std::string sequences;
    std::istringstream text(read_text(output / "sequences.tsv"));
    for (std::string row; std::getline(text, row);) {
      sequences += row.substr(0, row.rfind('\t')) + "\n";
    }
    return {read_text(output / "x_merged/prediction_results.txt"),
            read_text(output / "x_merged/prediction_results_highestscore.csv"), sequences};
  }

  TempDir directory;
  PredictEvents events;
  std::mt19937 random{19};
  RunCounters counters;
  Cancel cancel;
  std::string sunk;
};

TEST_F(Predictions, ScoreEverySequence) {
  const RunSummary summary = run(settings({"a.fa", "b.fa"}));
  EXPECT_EQ(summary.counts.sequences, 21U);
  EXPECT_GT(summary.counts.frames, 5U);
  EXPECT_EQ(summary.counts.frames, counters.frames_scored.get());
  EXPECT_EQ(summary.counts.duplicate_ids, 0U);
  EXPECT_EQ(summary.rna_sequences, 0U);
  EXPECT_TRUE(summary.synthetic);
  EXPECT_TRUE(std::filesystem::exists(directory / "out/SYNTHETIC_WEIGHTS"));
  EXPECT_FALSE(std::filesystem::exists(directory / "out/failed_inputs.txt"));
  EXPECT_TRUE(Journal::open(directory / "out/run.db").finished());
  EXPECT_THAT(read_text(directory / "out/sequences.tsv"), HasSubstr("a3\t0\t0\t0\t0"));
}

TEST_F(Predictions, KeepNoLayerThatIsNotThere) {
  PredictSettings first = settings({"a.fa"});
  first.compute.int8_policy = Int8Policy::parse("1.fc2").value();
  EXPECT_NO_THROW(run(first));
  PredictSettings beyond = settings({"a.fa"});
  beyond.output = directory / "other";
  beyond.compute.int8_policy = Int8Policy::parse("qkv,0-2.fc1").value();
  EXPECT_EQ(reason_of(ErrorKind::kUsage, [&] { run(beyond); }),
            "--int8-keep (run.int8_keep) qkv,0-2.fc1: there is no layer 2; this ESM-2 has 2 "
            "layers, 0 to 1");
}

// A frame table: ids → the rest of the row.
std::map<std::string, std::string> rows_of(const std::string& table) {
  std::map<std::string, std::string> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace(line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1));
  }
  return rows;
}

struct CloseCallsOfRuns : Predictions {
  static constexpr double kMargin = 0.15;

  PredictSettings in(Precision precision, double margin) {
    PredictSettings settings = this->settings({"a.fa", "b.fa"});
    settings.compute.precision = precision;
    settings.existing = Existing::kReplace;
    settings.margin = margin;
    if (margin > 0) settings.compute.check_precision = Precision::kFp32;
    return settings;
  }
  std::vector<std::string> tables_of(const PredictSettings& settings) {
    counters.reset();
    run(settings);
    return tables(directory / "out");
  }
};

TEST_F(CloseCallsOfRuns, AreAllWithinAHugeMargin) {
  const auto exact = tables_of(in(Precision::kFp32, 0));
  const auto coarse = tables_of(in(Precision::kInt8, 0));
  EXPECT_NE(coarse, exact);
  EXPECT_EQ(tables_of(in(Precision::kInt8, CallMargin::kMost)), exact);
  EXPECT_EQ(counters.close_calls.recomputed.get(), counters.close_calls.chunks.get());
  EXPECT_EQ(counters.close_calls.frames.get(), counters.frames_scored.get());
}

TEST_F(CloseCallsOfRuns, AreComputedAgainAndNoOthers) {
  const auto exact = rows_of(tables_of(in(Precision::kFp32, 0))[0]);
  const auto coarse = rows_of(tables_of(in(Precision::kInt8, 0))[0]);
  const PredictSettings settings = in(Precision::kInt8, kMargin);
  const auto mixed = rows_of(tables_of(settings)[0]);
  ASSERT_EQ(mixed.size(), exact.size());
  std::size_t again = 0;
  for (const auto& [id, row] : mixed) {
    if (row != coarse.at(id)) ++again;
    EXPECT_TRUE(row == coarse.at(id) || row == exact.at(id)) << id;
  }
  EXPECT_GT(again, 5U);
  EXPECT_GT(mixed.size() - again, 5U);
  EXPECT_LE(again, counters.close_calls.frames.get());
  EXPECT_LT(counters.close_calls.recomputed.get(), counters.close_calls.chunks.get());
}

TEST_F(CloseCallsOfRuns, GiveTheSameTablesHoweverTheyAreComputed) {
  const auto expected = tables_of(in(Precision::kInt8, kMargin));
  for (const std::size_t budget : {40U, 300U, 5000U}) {
    for (const bool packing : {true, false}) {
      PredictSettings settings = in(Precision::kInt8, kMargin);
      settings.compute.token_budget = budget;
      settings.compute.packing = packing;
      settings.compute.prefetch = 1 + budget % 7;
      settings.compute.deduplicate = packing;
      EXPECT_EQ(tables_of(settings), expected) << budget << " " << packing;
    }
  }
}

TEST_F(CloseCallsOfRuns, AreKeptWithTheirEmbeddings) {
  const auto merged_of = [this](PredictSettings settings) {
    settings.keep_intermediate = true;
    run(settings);
    return ReadBack(directory / "out/embeddings.h5").matrix("merged").values;
  };
  EXPECT_EQ(merged_of(in(Precision::kInt8, CallMargin::kMost)), merged_of(in(Precision::kFp32, 0)));
}

TEST_F(Predictions, LeaveADamagedInputOutOfTheTables) {
  const RunSummary summary = run(settings({"a.fa", "cut.fa", "b.fa"}));
  ASSERT_EQ(summary.inputs.size(), 3U);
  EXPECT_FALSE(summary.inputs[0].failed);
  EXPECT_TRUE(summary.inputs[1].failed);
  EXPECT_EQ(summary.inputs[1].error, "input-malformed");
  EXPECT_EQ(summary.inputs[1].record, 6U);
  EXPECT_EQ(summary.inputs[2].records, 9U);
  EXPECT_THAT(read_text(directory / "out/failed_inputs.txt"), HasSubstr("cut.fa\tinput-malformed"));

  PredictSettings without = settings({"a.fa", "b.fa"});
  without.output = directory / "without";
  run(without);
  EXPECT_EQ(tables(directory / "out"), tables(directory / "without"));
}

TEST_F(Predictions, GiveInputsTogetherTheRowsOfTheirConcatenation) {
  write_text(directory / "both.fa", read_text(directory / "a.fa") + read_text(directory / "b.fa"));
  run(settings({"a.fa", "b.fa"}));
  PredictSettings both = settings({"both.fa"});
  both.output = directory / "both";
  both.compute = {.threads = 1, .token_budget = 50, .prefetch = 1, .deduplicate = false};
  run(both);
  EXPECT_EQ(tables(directory / "out"), tables(directory / "both"));
}

TEST_F(Predictions, EndWithTheFirstErrorWhenNoInputIsWhole) {
  EXPECT_EQ(kind_of_run(settings({"cut.fa", kMissing})), ErrorKind::kInputMalformed);
  const std::string failed = read_text(directory / "out/failed_inputs.txt");
  EXPECT_THAT(failed, HasSubstr("input-malformed"));
  EXPECT_THAT(failed, HasSubstr("input-missing"));
  EXPECT_FALSE(std::filesystem::exists(directory / "out/sequences.tsv"));
}

// So that the corrected command is not refused, and --force destroys nothing.
TEST_F(Predictions, TouchNothingWhenNoInputCanBeOpened) {
  PredictSettings none = settings({kMissing, "."});
  none.models.esm2 = "no/such/model";
  EXPECT_EQ(kind_of_run(none), ErrorKind::kInputMissing);
  none.inputs.paths.erase(none.inputs.paths.begin());
  EXPECT_EQ(kind_of_run(none), ErrorKind::kInputRead);
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
}

TEST_F(Predictions, TouchNothingWhenNoPairCanBeOpened) {
  run(settings({"a.fa"}));
  const auto before = tables(directory / "out");
  PredictSettings pairs = settings({"a.fa", kMissing, kMissing, "b.fa"});
  pairs.inputs.paired = true;
  pairs.existing = Existing::kReplace;
  EXPECT_EQ(kind_of_run(pairs), ErrorKind::kInputMissing);
  pairs.inputs.paths.pop_back();
  EXPECT_EQ(kind_of_run(pairs), ErrorKind::kUsage);
  EXPECT_EQ(tables(directory / "out"), before);
}

TEST_F(Predictions, StopAtADamagedInputWhenStrict) {
  PredictSettings strict = settings({"a.fa", kMissing, "b.fa"});
  strict.strict_input = true;
  EXPECT_EQ(kind_of_run(strict), ErrorKind::kInputMissing);
  EXPECT_THAT(read_text(directory / "out/failed_inputs.txt"), HasSubstr(kMissing));
  EXPECT_FALSE(std::filesystem::exists(directory / "out/sequences.tsv"));
}

TEST_F(Predictions, SendTheFrameTableToTheSink) {
  run(settings({"a.fa"}));
  EXPECT_EQ(sunk, "");
  PredictSettings piped = settings({"a.fa"});
  piped.to_stdout = true;
  piped.output.clear();
  run(piped);
  EXPECT_EQ(sunk, tables(directory / "out")[0]);
  EXPECT_THAT(sunk, StartsWith("Sequence_ID\tPrediction\tscore1\tscore2\n"));
}

TEST_F(Predictions, TakeADirectoryWithARunOnlyByForce) {
  PredictSettings again = settings({"a.fa"});
  run(again);
  const auto before = tables(directory / "out");
  again.inputs.paths = {(directory / "b.fa").string()};
  EXPECT_EQ(kind_of_run(again), ErrorKind::kOutputExists);
  EXPECT_EQ(tables(directory / "out"), before);
  again.existing = Existing::kReplace;
  run(again);
  EXPECT_THAT(tables(directory / "out")[2], Not(HasSubstr("a0\t")));
}

TEST_F(Predictions, KeepIntermediatesOfWholeInputs) {
  PredictSettings keeping = settings({"a.fa", "cut.fa", "b.fa"});
  keeping.keep_intermediate = true;
  const RunSummary summary = run(keeping);
  const ReadBack back(directory / "out/embeddings.h5");
  const std::vector<std::string> ids = back.ids();
  ASSERT_EQ(ids.size(), summary.counts.frames);
  std::string rows = tables(directory / "out")[0];
  std::size_t at = rows.find('\n') + 1;
  for (const std::string& id : ids) {
    EXPECT_EQ(rows.substr(at, rows.find('\t', at) - at), id);
    at = rows.find('\n', at) + 1;
  }
  for (const float value : back.matrix("merged").values) EXPECT_TRUE(std::isfinite(value));
  EXPECT_THAT(read_text(directory / "out/x_chunked50.fa"), Not(HasSubstr(">c0")));
}

TEST_F(Predictions, WriteVirusesOfWholeInputs) {
  PredictSettings viruses = settings({"a.fa", "cut.fa", "b.fa"});
  viruses.viruses.fasta = true;
  viruses.rule = CallRule(0, 0);  // includes every scored sequence
  const RunSummary summary = run(viruses);
  const std::string fasta = read_text(directory / "out/virus.fasta");
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(fasta.begin(), fasta.end(), '>')),
            summary.counts.virus_sequences);
  EXPECT_EQ(summary.counts.virus_sequences,
            summary.counts.sequences - summary.counts.unscored_sequences);
  EXPECT_THAT(fasta, HasSubstr(" of b.fa input="));
  EXPECT_THAT(fasta, Not(HasSubstr(" of cut.fa")));
}

TEST_F(Predictions, HaveTheirTablesWhenTheVirusesCannotBeWritten) {
  run(settings({"a.fa"}));
  const auto whole = tables(directory / "out");
  PredictSettings viruses = settings({"a.fa"});
  viruses.viruses.fasta = true;
  viruses.output = directory / "no-viruses";
  events.on_phase = [&](Phase) {
    std::filesystem::create_directories(directory / "no-viruses/virus.fasta");  // in its way
  };
  EXPECT_EQ(kind_of_run(viruses), ErrorKind::kOutputExists);
  EXPECT_EQ(tables(directory / "no-viruses"), whole);
}

TEST_F(Predictions, AreOfTheirClassifier) {
  run(settings({"a.fa"}));
  EXPECT_EQ(Journal::open(directory / "out/run.db").fingerprint().at("model_type"), "custom");
}

TEST_F(Predictions, LeaveNoTablesWhenCancelledWhileLoading) {
  PredictSettings missing = settings({"a.fa"});
  missing.models.classifier = "synthetic:7";
  run(missing);
  missing.output = directory / "cancelled";
  cancel.request(2);
  EXPECT_EQ(kind_of_run(missing), ErrorKind::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(directory / "cancelled/sequences.tsv"));
}

}  // namespace
}  // namespace virnucpro

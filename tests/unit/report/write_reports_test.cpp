#include "report/write_reports.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "telemetry/batch_line.hpp"
#include "unit/report/sample_run.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

constexpr const char* kSummary = R"({"schema": "virnucpro-telemetry-1",
  "run": {"seconds": 100, "command": ["virnucpro", "predict", "it's.fa"]},
  "throughput": {"sequences_per_second": 10, "esm_tokens_per_second": 3000},
  "workers": [{"name": "cuda:0", "batches": 11}],
  "verdicts": [{"id": "PERF-02", "name": "GPU utilisation", "status": "SKIPPED"},
               {"id": "PERF-01", "name": "time", "status": "PASS", "value": 8.2}]})";

JsonValues json_of(const std::vector<std::string>& texts) {
  return {texts[2], "report.json"};
}

JsonValues multiqc_of(const std::vector<std::string>& texts) {
  return {texts[3], "virnucpro_mqc.json"};
}

std::vector<std::string> texts_at(const JsonValues& report, const std::string& path) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < report.elements(path); ++k) {
    texts.push_back(report.text(fmt::format("{}/{}", path, k)).value_or(""));
  }
  return texts;
}

std::vector<std::string> warnings_of(const JsonValues& report) {
  return texts_at(report, "warnings");
}

struct Reports : testing::Test {
  // Returns the reports of a run in the folder, in the order of report_files().
  std::vector<std::string> texts_of(const Journal& journal) const {
    write_reports(journal, {.run = directory.path(), .output = RunFolder(directory.path())}, {},
                  Cancel());
    std::vector<std::string> texts;
    for (const auto& file : report_files(directory.path())) texts.push_back(read_text(file));
    return texts;
  }
  std::vector<std::string> texts_of_parts(std::vector<SequencePart> parts) const {
    return texts_of(sample_run(directory.path(), std::move(parts)));
  }

  const TempDir directory;
};

TEST_F(Reports, WriteWhatTheyName) {
  const TempDir other;
  const Journal journal = sample_run(directory.path(), {sample_part("a", 9, {0.9F})});
  const std::size_t before = directory.entries();
  const RunFacts facts = write_reports(journal, {.run = directory.path(), .output = other.path()},
                                       {.min_share = 0.25}, Cancel());
  EXPECT_EQ(facts.rule, CallRule(0, 0.25));
  EXPECT_EQ(facts.scores.counts.sequences, 1U);
  EXPECT_EQ(directory.entries(), before);
  EXPECT_EQ(other.entries(), report_files(other.path()).size());
}

TEST_F(Reports, HaveTheirPlotsAsFiles) {
  const Journal journal = sample_run(directory.path(), {sample_part("a", 9, {0.9F, 0.8F})});
  const auto figures = directory / "new" / "figures";
  std::size_t asked = 0;
  write_reports(journal, {.run = directory.path(), .output = RunFolder(directory.path())}, {},
                Cancel(), {.folder = figures, .check = [&](const auto& file) {
                             EXPECT_EQ(file.parent_path(), figures);
                             ++asked;
                           }});
  EXPECT_THAT(
      file_names(figures),
      testing::UnorderedElementsAre("calls.svg", "frames_by_score.svg", "sequences_by_length.svg",
                                    "chunks_by_frames.svg", "contig_1.svg"));
  EXPECT_EQ(asked, 5U);
  const std::string html = read_text(report_files(directory.path()).front());
  for (const std::string& name : file_names(figures)) {
    EXPECT_TRUE(is_figure(figures / name));
    EXPECT_THAT(html, HasSubstr(read_text(figures / name)));  // the same bytes
  }
}

TEST_F(Reports, WriteNothingWhereAFigureMayNotBeReplaced) {
  const Journal journal = sample_run(directory.path(), {sample_part("a", 9, {0.9F})});
  const std::size_t before = directory.entries();
  const auto refuse = [](const std::filesystem::path& file) {
    if (file.filename() == "frames_by_score.svg") throw Error(ErrorKind::kOutputExists, "no");
  };
  EXPECT_THROW(write_reports(journal, {.run = directory.path(), .output = directory.path()}, {},
                             Cancel(), {.folder = directory / "figures", .check = refuse}),
               Error);
  EXPECT_EQ(directory.entries(), before);
  EXPECT_FALSE(is_figure(directory / "absent"));
}

TEST_F(Reports, SayThatNothingWasMeasured) {
  const JsonValues report = json_of(texts_of_parts({sample_part("a", 9, {0.9F, 0.9F})}));
  EXPECT_THAT(report.text("sections/throughput/note"), Optional(HasSubstr("Nothing was measured")));
  EXPECT_FALSE(report.text("sections/verdicts/title"));
  EXPECT_FALSE(report.number("summary/seconds"));
  EXPECT_EQ(report.number("summary/sequences"), 1);
  EXPECT_EQ(report.text("sections/top_hits/tables/sequences/0/sequence_id"), "a");
  EXPECT_THAT(warnings_of(report), ElementsAre(HasSubstr("There are no tables")));
}

TEST_F(Reports, AreMadeOfAnEmptyRun) {
  const auto texts = texts_of_parts({});
  EXPECT_EQ(json_of(texts).number("summary/sequences"), 0);
  EXPECT_THAT(texts[0], HasSubstr("</html>"));
}

TEST_F(Reports, SayWhatTheTelemetrySays) {
  write_text(directory / "telemetry_20260102T000000Z.json", kSummary);
  write_text(directory / "telemetry_20250102T000000Z.json", R"({"run": {"seconds": 1}})");
  const auto texts = texts_of_parts({});
  const JsonValues report = json_of(texts);
  EXPECT_EQ(report.number("summary/seconds"), 100);
  EXPECT_EQ(report.elements("sections/verdicts/tables/verdicts"), 1U);
  EXPECT_EQ(report.text("sections/verdicts/tables/verdicts/0/status"), "PASS");
  EXPECT_THAT(report.text("sections/verdicts/note"), Optional(HasSubstr("1 of 2 requirements")));
  EXPECT_EQ(report.number("sections/throughput/tables/workers/0/batches"), 11);
  EXPECT_EQ(report.text("sections/reproduce/command"), "virnucpro predict 'it'\\''s.fa'");
  EXPECT_THAT(texts[1], HasSubstr("| time | 100 s |"));
  EXPECT_EQ(multiqc_of(texts).number("data/reads/virnucpro_rate"), 10);
}

TEST_F(Reports, FallBackOnTheBatchesOfAKilledRun) {
  const BatchMetrics batch{.time = 4,
                           .esm_tokens = 900,
                           .dna_tokens = 100,
                           .budget_tokens = 1000,
                           .times = {.waiting = 0.5, .esm2 = 1.5}};
  write_text(directory / "telemetry_1.jsonl", write_batch_line(batch, 0) + "{\"time\":5,\"worker");
  const JsonValues report = json_of(texts_of_parts({}));
  EXPECT_EQ(report.number("summary/seconds"), 4);
  EXPECT_EQ(report.number("sections/packing/fields/packing"), 0.9);
  EXPECT_EQ(report.number("sections/throughput/fields/tokens_per_second"), 500);
  EXPECT_THAT(report.text("sections/verdicts/note"),
              Optional(HasSubstr("telemetry_<time>.json is missing")));
}

TEST_F(Reports, DrawEveryWorker) {
  std::string lines;
  for (std::uint32_t worker = 0; worker < 8; ++worker) {
    const BatchMetrics batch{.worker = worker, .time = 4, .esm_tokens = 900};
    lines += write_batch_line(batch, 0);
  }
  write_text(directory / "telemetry_1.jsonl", lines);
  const auto texts = texts_of_parts({});
  for (int worker = 0; worker < 8; ++worker) {
    EXPECT_THAT(texts[0], HasSubstr(fmt::format("worker {}<", worker)));
  }
}

TEST_F(Reports, WarnOfTelemetryThatCannotBeRead) {
  write_text(directory / "telemetry_1.json", std::string(kSummary, 100));
  write_text(directory / "telemetry_1.jsonl", "NaN\n" + write_batch_line({}, 0));
  std::filesystem::create_directory(directory / "logs");
  write_text(directory / "logs" / "gpu_metrics_1.log", "no columns\n");
  const auto warnings = warnings_of(json_of(texts_of_parts({})));
  EXPECT_THAT(warnings, Contains(HasSubstr("telemetry_1.json")));
  EXPECT_THAT(warnings, Contains("telemetry_1.jsonl: 1 lines cannot be read and are left out"));
  EXPECT_THAT(warnings, Contains(HasSubstr("gpu_metrics_1.log")));
}

TEST_F(Reports, SayThatARunDidNotFinish) {
  Journal journal = Journal::create(directory / "run.db", sample_print());
  SequencePart open = sample_part("b", 900, {0.9F});
  open.last = false;
  journal.append({.index = 0, .parts = {sample_part("a", 9, {0.9F}), open}});
  const JsonValues report = json_of(texts_of(journal));
  EXPECT_THAT(texts_at(report, "state"), Contains("partial"));
  EXPECT_EQ(report.number("summary/sequences"), 1);
  EXPECT_THAT(warnings_of(report), ElementsAre(HasSubstr("did not finish")));
}

TEST_F(Reports, RepeatNothingAsMarkup) {
  const std::string in_json = json_text(kMarkup);
  write_text(directory / "telemetry_1.json",
             fmt::format(R"({{"run": {{"command": [{0}], "started": {0}}},
  "workers": [{{"name": {0}}}], "stages": [{{"name": {0}, "seconds": 1}}],
  "devices": [{{"id": {0}, "throttle_reasons": {0}, "phases": [{{"phase": {0},
    "power_w": {{"average": 1}}}}]}}], "machine": {{"devices": [{{"name": {0}}}]}},
  "verdicts": [{{"id": {0}, "name": {0}, "status": {0}}}], "bottlenecks": [{{"cause": {0}}}]}})",
                         in_json));
  std::filesystem::create_directory(directory / "logs");
  write_text(directory / "logs" / "gpu_metrics_1.log",
             fmt::format("timestamp,device_id,stage,power_w,throttle_reasons\n1,{0},start,5,{0}\n",
                         kMarkup));
  Journal::Fingerprint print = sample_print();
  const std::string stem = "<script>alert(1)\"'&|`";  // no path is a stem
  print["stem"] = stem;
  print["model_type"] = kMarkup;
  const Journal journal = sample_run(
      directory.path(), {sample_part(kMarkup, 9, {0.9F}), sample_part("\xff\x1b", 9, {0.8F})},
      print, kMarkup);
  const auto texts = texts_of(journal);
  EXPECT_THAT(texts[0], Not(HasSubstr("<script>alert")));
  EXPECT_THAT(texts[0], HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;|`"));
  EXPECT_THAT(texts[0], Not(HasSubstr("\x1b")));
  // Markdown has it unescaped only once: as code, after four blanks.
  const std::size_t raw = texts[1].find("<script>");
  EXPECT_EQ(texts[1].substr(texts[1].rfind('\n', raw) + 1, 5), "    '");
  EXPECT_EQ(texts[1].find("<script>", raw + 1), std::string::npos);
  EXPECT_EQ(json_of(texts).text("title"), stem);
  // MultiQC puts the sample's name into its page as it is.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].starts_with("# id:") || texts[i].find("generalstats") != std::string::npos) {
      EXPECT_THAT(texts[i], Not(HasSubstr("<script")));
    }
  }
}

TEST_F(Reports, AreComparedWithTheFirst) {
  const auto a = directory / "run_a";
  const auto b = directory / "<script>alert(1)";
  for (const auto& run : {a, b}) std::filesystem::create_directory(run);
  const Journal first = sample_run(a, {sample_part("s", 9, {0.9F})});
  Journal::Fingerprint print = sample_print();
  print["precision"] = kMarkup;
  const Journal other = sample_run(b, {sample_part("s", 9, {0.1F})}, print);
  write_text(b / "telemetry_1.json",
             fmt::format(R"({{"run": {{"seconds": 50}}, "verdicts": [{{"id": "PERF-01",
                             "name": {0}, "status": "MISS"}},
                             {{"id": "PERF-05", "name": "one", "status": "PASS"}},
                             {{"id": "PERF-05", "name": "two", "status": "WARN"}}]}})",
                         json_text(kMarkup)));
  const auto facts =
      write_comparison({{a, first}, {b, other}}, directory / "compare.html", {}, Cancel());
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].name, a.string());
  const std::string page = read_text(directory / "compare.html");
  EXPECT_THAT(page, HasSubstr("2 runs compared"));
  EXPECT_THAT(page, HasSubstr("<span class=\"badge bad\">MISS</span>"));
  EXPECT_THAT(page, testing::AllOf(HasSubstr("PERF-05 one"), HasSubstr("PERF-05 two")));
  EXPECT_THAT(page, HasSubstr("<td>50 s</td>"));
  EXPECT_THAT(page, HasSubstr("<td>0.8</td>"));  // the largest difference
  EXPECT_THAT(page, HasSubstr("differs"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

}  // namespace
}  // namespace virnucpro

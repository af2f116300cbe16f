#include "journal/run_folder.hpp"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/journal.hpp"
#include "journal/older_run.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RunFolders : testing::Test {
  static constexpr const char* kHeader = "virnucpro: the files that its runs wrote here\n";

  void make(const RunFile& file, const std::string& differing = {}) const {
    write_text(RunFolder(temp.path()).place(file, differing, 300).path, "x");
  }
  std::vector<std::string> own() const {
    std::vector<std::string> names;
    for (const RunFolder::OwnFile& file : RunFolder(temp.path()).own_files()) {
      names.push_back(file.path.lexically_relative(temp.path()));
    }
    return names;
  }

  const TempDir temp;
};

TEST_F(RunFolders, RecordAFileBeforeItExists) {
  const RunFolder folder(temp.path());
  EXPECT_EQ(folder.place(run_files::kFrameTable, "s").path,
            temp / "s_merged/prediction_results.txt");
  folder.place(run_files::kReportHtml);
  folder.place(run_files::kReportHtml);
  EXPECT_EQ(read_text(temp / "run.files"),
            std::string(kHeader) + "s_merged/\ns_merged/prediction_results.txt\nreport.html\n");
  EXPECT_TRUE(std::filesystem::is_empty(temp / "s_merged"));
  EXPECT_THAT(own(), ElementsAre());
}

TEST_F(RunFolders, KnowTheirFilesAgain) {
  make(run_files::kReportHtml);
  make(run_files::kChunks, "a\nb%0Ac");
  make(run_files::kFrameTable, "s");
  write_text(temp / "report.html.virnucpro-partial", "x");
  write_text(temp / "report.md", "mine");
  EXPECT_THAT(own(),
              ElementsAre("a\nb%0Ac_chunked300.fa", "report.html", "report.html.virnucpro-partial",
                          "s_merged/prediction_results.txt"));
}

TEST_F(RunFolders, SurviveACutRecord) {
  make(run_files::kReportHtml);
  make(run_files::kReportJson);
  const std::string whole = read_text(temp / "run.files");
  for (std::size_t size = std::string(kHeader).size(); size < whole.size(); ++size) {
    write_text(temp / "run.files", whole.substr(0, size));
    EXPECT_NO_THROW(own());
  }
  std::filesystem::remove(temp / "report.json");
  make(run_files::kReportJson);
  EXPECT_THAT(own(), ElementsAre("report.html", "report.json"));
  write_text(temp / "run.files", "");
  EXPECT_THAT(own(), ElementsAre());
}

TEST_F(RunFolders, TakeNothingFromARecordThatNoRunWrites) {
  std::filesystem::create_directory(temp / "s_merged");
  const TempDir others;
  write_text(others / "report.html", "precious");
  for (const char* name : {"thesis.tex", "s_merged/mine.txt", "run.lock"}) {
    write_text(temp / name, "x");
  }
  write_text(temp / "run.files",
             std::string(kHeader) + "thesis.tex\ns_merged/mine.txt\n../" +
                 others.path().filename().string() + "/report.html\nrun.lock\n" +
                 (others / "report.html").string() + "\ns_merged/../thesis.tex\n..\n.\n/\n\n");
  EXPECT_THAT(own(), ElementsAre());
  RunFolder(temp.path()).clear();
  EXPECT_EQ(read_text(others / "report.html"), "precious");
  EXPECT_TRUE(std::filesystem::exists(temp / "thesis.tex"));
  for (const char* other : {"mine", "virnucpro"}) {
    write_text(temp / "run.files", other);
    EXPECT_EQ(thrown_kind([&] { RunFolder(temp.path()); }), ErrorKind::kOutputExists);
    EXPECT_EQ(read_text(temp / "run.files"), other);
  }
}

TEST_F(RunFolders, RefuseANameThatIsTakenMeanwhile) {
  const RunFolder folder(temp.path());
  write_text(temp / "report.html", "mine");
  write_text(temp / "report.md.virnucpro-partial", "mine");
  std::filesystem::create_symlink("/tmp", temp / "s_merged");
  for (const RunFile& file :
       {run_files::kReportHtml, run_files::kReportMarkdown, run_files::kFrameTable}) {
    EXPECT_EQ(thrown_kind([&] { folder.place(file, "s"); }), ErrorKind::kOutputExists);
  }
  folder.place(run_files::kReportJson);
  std::filesystem::create_symlink("report.html", temp / "report.json");
  EXPECT_EQ(thrown_kind([&] { folder.place(run_files::kReportJson); }), ErrorKind::kOutputExists);
}

// Whatever is put in the place of a folder that is open.
TEST_F(RunFolders, StayWhereTheyAre) {
  std::filesystem::create_directory(temp / "out");
  const RunFolder folder(temp / "out");
  AtomicFile table(folder.place(run_files::kFrameTable, "s"));
  const TempDir other;
  std::filesystem::create_directory(other / "s_merged");
  std::filesystem::rename(temp / "out", temp / "aside");
  std::filesystem::create_symlink(other.path(), temp / "out");
  AtomicFile report(folder.place(run_files::kReportHtml));
  table.write("x");
  table.commit();
  report.commit();
  EXPECT_EQ(read_text(temp / "aside/s_merged/prediction_results.txt"), "x");
  EXPECT_TRUE(std::filesystem::exists(temp / "aside/report.html"));
  EXPECT_EQ(other.entries(), 1U);
  EXPECT_TRUE(std::filesystem::is_empty(other / "s_merged"));
}

// A directory from before there was a record.
struct OlderRuns : RunFolders {
  void make_older(const Journal::Fingerprint& print) const {
    { const Journal journal = Journal::create(temp / "run.db", print); }
    std::filesystem::create_directories(temp / "s_merged");
    std::filesystem::create_directories(temp / "logs");
    for (const char* name :
         {"sequences.tsv", "s_merged/prediction_results.txt", "virus.fasta", "embeddings.h5",
          "other_identified_protein.faa", "telemetry_mine.json", "logs/virnucpro.log",
          "telemetry_20260131T093000.123Z.json", "logs/gpu_metrics_20260131T093000.123Z.log",
          "logs/gpu_metrics_2026.log", "s_identified_protein.faa"}) {
      write_text(temp / name, "x");
    }
  }
};

TEST_F(OlderRuns, HaveTheFilesThatTheirJournalProves) {
  make_older({{"stem", "s"}, {"keep_intermediate", "false"}});
  const auto proven = ElementsAre("run.db", "sequences.tsv", "telemetry_20260131T093000.123Z.json",
                                  "logs/gpu_metrics_20260131T093000.123Z.log", "logs/virnucpro.log",
                                  "s_merged/prediction_results.txt");
  EXPECT_THAT(own(), proven);
  make(run_files::kReportHtml);
  std::filesystem::remove(temp / "report.html");
  EXPECT_THAT(own(), proven) << "the record has taken them over";
}

TEST_F(OlderRuns, HaveIntermediatesIfTheirRunKeptThem) {
  make_older({{"stem", "s"}, {"keep_intermediate", "true"}});
  const std::vector<std::string> found = own();
  EXPECT_THAT(found, testing::Contains("embeddings.h5"));
  EXPECT_THAT(found, testing::Contains("s_identified_protein.faa"));
  EXPECT_THAT(found, testing::Not(testing::Contains("other_identified_protein.faa")));
}

TEST_F(OlderRuns, AreNotProvenByAnythingElse) {
  for (const char* stem : {"../s", "a/b", ".."}) {
    make_older({{"stem", stem}});
    for (const std::string& path : files_proven_by_journal(Directory(temp.path()))) {
      EXPECT_THAT(path, testing::Not(HasSubstr("../"))) << stem;
      EXPECT_THAT(path, testing::Not(HasSubstr("a/b"))) << stem;
    }
    std::filesystem::remove(temp / "run.db");
  }
  EXPECT_TRUE(files_proven_by_journal(Directory(temp.path())).empty());
  write_text(temp / "run.db", "SQLite format 3");
  EXPECT_TRUE(files_proven_by_journal(Directory(temp.path())).empty());
  std::filesystem::remove(temp / "run.db");
  ASSERT_EQ(::mkfifo((temp / "run.db").c_str(), 0600), 0);
  EXPECT_TRUE(files_proven_by_journal(Directory(temp.path())).empty());
}

// It would be computed without end.
TEST_F(OlderRuns, RunNoView) {
  make_older({{"stem", "s"}});
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((temp / "run.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database,
                   "DROP TABLE fingerprint; CREATE VIEW fingerprint AS WITH RECURSIVE n(key, "
                   "value) AS (SELECT 1, 2 UNION ALL SELECT key + 1, 2 FROM n) SELECT max(key) "
                   "AS key, value FROM n",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(database);
  EXPECT_THAT(own(), testing::Contains("run.db"));
  EXPECT_THAT(own(), testing::Not(testing::Contains("s_merged/prediction_results.txt")));
}

}  // namespace
}  // namespace virnucpro

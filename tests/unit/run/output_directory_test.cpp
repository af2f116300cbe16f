#include "run/output_directory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

using namespace std::string_view_literals;

std::string own_host() {
  std::array<char, 256> name{};
  EXPECT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  return name.data();
}

// A child process that holds `directory` until it is ended.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& directory) {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const OutputDirectory held(directory, "s", Existing::kRefuse);
      EXPECT_EQ(::write(ready[1], "x", 1), 1);
      while (true) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() { kill_now(); }
  Holder(const Holder&) = delete;

  void kill_now() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

std::vector<std::string> names_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

struct OutputDirectories : testing::Test {
  const TempDir temp;
};

TEST_F(OutputDirectories, IsMadeWithItsParents) {
  const auto path = temp / "a" / "b";
  {
    const OutputDirectory directory(path, "x", Existing::kRefuse);
    EXPECT_THAT(read_text(path / "run.lock"),
                testing::StartsWith(fmt::format("{} {} ", own_host(), ::getpid())));
    EXPECT_EQ(directory.journal(), path / "run.db");
  }
  EXPECT_TRUE(std::filesystem::is_empty(path));
}

TEST_F(OutputDirectories, IsTakenWhereItHoldsOnlyOtherNames) {
  for (const char* name : {"thesis.tex", "slurm.out", "sequences.fasta", "other_chunked300.fa",
                           "s_chunked.fa", "telemetry_mine.json", "prediction_results.txt"}) {
    write_text(temp / name, "mine");
  }
  std::filesystem::create_directory(temp / "logs");
  write_text(temp / "logs/mine.log", "mine");
  for (const Existing existing : {Existing::kRefuse, Existing::kReplace, Existing::kResume}) {
    const OutputDirectory directory(temp.path(), "s", existing);
    directory.clear();
  }
  EXPECT_EQ(temp.entries(), 8U);
  EXPECT_TRUE(std::filesystem::exists(temp / "logs/mine.log"));
}

// Something that has the name of a run's file, but is not such a file.
using Foreign = std::pair<const char*, std::function<void(const std::filesystem::path&)>>;

TEST_F(OutputDirectories, IsRefusedWhereANameIsTaken) {
  const TempDir others;
  write_text(others / "file", "precious");
  std::filesystem::create_directory(others / "folder");
  const std::vector<Foreign> foreign{
      {"a file", [](const auto& path) { write_text(path, "mine"); }},
      {"a link to a file",
       [&](const auto& path) { std::filesystem::create_symlink(others / "file", path); }},
      {"a link to a folder",
       [&](const auto& path) { std::filesystem::create_symlink(others / "folder", path); }},
      {"a dangling link",
       [&](const auto& path) { std::filesystem::create_symlink(others / "new", path); }},
      {"a FIFO", [](const auto& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }},
      {"a folder", [](const auto& path) { std::filesystem::create_directory(path); }}};
  for (const std::string& name :
       names_in("run.lock run.files run.db run.db-wal run.db-journal run.db.virnucpro-partial "
                "sequences.tsv "
                "sequences.tsv.virnucpro-partial virus.fasta failed_inputs.txt embeddings.h5 "
                "report.html "
                "report.md.virnucpro-partial virnucpro_mqc.json SYNTHETIC_WEIGHTS PARTIAL "
                "s_chunked500.fa "
                "s_identified_protein.faa sequences.fasta.virnucpro-partial logs/virnucpro.log "
                "s_merged/prediction_results.txt "
                "s_merged/prediction_results_highestscore.csv.virnucpro-partial "
                "logs s_merged")) {
    for (const auto& [what, make] : foreign) {
      SCOPED_TRACE(fmt::format("{}: {}", name, what));
      const bool is_folder = name == "logs" || name == "s_merged";
      if (is_folder && std::string_view(what) == "a folder") continue;
      const std::filesystem::path path = temp / "out" / name;
      std::filesystem::create_directories(path.parent_path());
      make(path);
      for (const Existing existing : {Existing::kRefuse, Existing::kReplace, Existing::kResume}) {
        const Error error = thrown([&] { OutputDirectory(temp / "out", "s", existing); });
        const bool is_journal = name.starts_with("run.db") && name != "run.db.virnucpro-partial";
        const bool acted_on = is_journal && (name == "run.db-journal" || what != "a file"sv);
        EXPECT_EQ(error.kind(), acted_on ? ErrorKind::kJournalDamaged : ErrorKind::kOutputExists)
            << error.what();
        EXPECT_EQ(error.place().file, path);
      }
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(path)));
      std::filesystem::remove_all(temp / "out");
    }
  }
  EXPECT_EQ(read_text(others / "file"), "precious");
  EXPECT_EQ(others.entries(), 2U);
  EXPECT_TRUE(std::filesystem::is_empty(others / "folder"));
}

// Makes files as a run does.
void make_files(const std::filesystem::path& run, const std::vector<RunFile>& files,
                const std::string& stem) {
  const RunFolder folder(run);
  for (const RunFile& file : files) write_text(folder.place(file, stem, 500).path, "x");
}

TEST_F(OutputDirectories, IsClearedOfItsOwnFilesOnly) {
  const auto in = [this](const std::string& name) { return temp / name; };
  using namespace run_files;
  make_files(temp.path(),
             {kSequenceTable, kJournal, kChunks, kReportHtml, kEmbeddings, kBatchNumbers, kProteins,
              kSyntheticMark, kFrameTable, kLog, kMonitorLog, kFailedInputs, kSpool},
             "s");
  make_files(temp.path(), {kFrameTable, kChunks, kNucleotides}, "other");
  std::filesystem::remove(in("sequences.fasta"));
  const std::vector<std::string> own = names_in(
      "sequences.tsv run.db run.db-wal s_chunked500.fa report.html embeddings.h5 "
      "telemetry_s.h5 s_identified_protein.faa SYNTHETIC_WEIGHTS sequences.tsv.virnucpro-partial "
      "sequences.fasta.virnucpro-partial s_merged/prediction_results.txt "
      "other_merged/prediction_results.txt other_chunked500.fa.virnucpro-partial "
      "other_identified_nucleotide.fa logs/virnucpro.log logs/gpu_metrics_s.log "
      "failed_inputs.txt run.files");
  const std::vector<std::string> foreign = names_in(
      "thesis.tex sequences.fasta other_chunkedx.fa s_chunked.fa telemetry.txt telemetry_mine.json "
      "logs/mine.log third_identified_protein.faa prediction_results.txt");
  for (const char* name :
       {"run.db-wal", "sequences.tsv.virnucpro-partial", "sequences.fasta.virnucpro-partial",
        "other_chunked500.fa.virnucpro-partial"}) {
    write_text(in(name), "x");
  }
  for (const std::string& name : foreign) write_text(in(name), "x");
  {
    const OutputDirectory directory(temp.path(), "s", Existing::kReplace);
    for (const std::string& name : own) EXPECT_TRUE(std::filesystem::exists(in(name))) << name;
    for (const std::string& name : own) {
      EXPECT_EQ(directory.would_clear(in(name)), name != "run.files") << name;
    }
    for (const std::string& name : foreign) EXPECT_FALSE(directory.would_clear(in(name))) << name;
    directory.clear();
  }
  for (const std::string& name : own) EXPECT_FALSE(std::filesystem::exists(in(name))) << name;
  for (const std::string& name : foreign) EXPECT_TRUE(std::filesystem::exists(in(name))) << name;
  EXPECT_FALSE(std::filesystem::exists(in("s_merged")));
  EXPECT_FALSE(std::filesystem::exists(in("other_merged")));
}

TEST_F(OutputDirectories, KnowsARunThatDidNotFinish) {
  const auto refusal = [this] {
    return thrown([&] { OutputDirectory(temp.path(), "s", Existing::kRefuse); }).detail();
  };
  make_files(temp.path(), {run_files::kJournal}, "s");
  EXPECT_THAT(refusal(), testing::HasSubstr("did not finish"));
  make_files(temp.path(), {run_files::kSequenceTable}, "s");
  EXPECT_THAT(refusal(), testing::Not(testing::HasSubstr("did not finish")));
}

TEST_F(OutputDirectories, IsRefusedWhileAnotherRunHoldsIt) {
  Holder holder(temp.path());
  for (const Existing existing : {Existing::kRefuse, Existing::kReplace, Existing::kResume}) {
    const Error error = thrown([&] { OutputDirectory(temp.path(), "s", existing); });
    EXPECT_EQ(error.kind(), ErrorKind::kOutputBusy);
    EXPECT_THAT(error.what(), testing::HasSubstr(own_host()));
    EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(holder.pid())));
  }
  EXPECT_TRUE(std::filesystem::exists(temp / "run.lock"));
  holder.kill_now();
  EXPECT_TRUE(std::filesystem::exists(temp / "run.lock"));  // stale
  const OutputDirectory directory(temp.path(), "s", Existing::kRefuse);
  EXPECT_THAT(read_text(temp / "run.lock"),
              testing::StartsWith(fmt::format("{} {} ", own_host(), ::getpid())));
}

TEST_F(OutputDirectories, CannotBeAFile) {
  write_text(temp / "file", "x");
  EXPECT_EQ(thrown_kind([&] { OutputDirectory(temp / "file", "s", Existing::kReplace); }),
            ErrorKind::kOutputWrite);
  EXPECT_EQ(thrown_kind([&] { OutputDirectory("/proc/nowhere", "s", Existing::kReplace); }),
            ErrorKind::kOutputWrite);
}

TEST(OutputStem, TakesOffOneSuffixOfEachKind) {
  const std::array<std::pair<const char*, const char*>, 14> names{
      {{"reads.fa", "reads"},
       {"/data/x.y/reads.fastq.gz", "reads"},
       {"reads.fa.fa", "reads.fa"},
       {"reads.fa.gz.gz", "reads.fa.gz"},
       {"reads.bgz", "reads"},
       {"reads.FASTA.GZ", "reads"},
       {"reads.txt", "reads.txt"},
       {"reads.fna.bgzf", "reads"},
       {"reads", "reads"},
       {".fa", ".fa"},
       {"a.bam", "a"},
       {"a.cram", "a"},
       {"-", "stdin"},
       {"sample.v2.fq", "sample.v2"}}};
  for (const auto& [input, stem] : names) EXPECT_EQ(output_stem(input), stem);
}

void resume_in(const std::filesystem::path& path) {
  const OutputDirectory taken(path, "x", Existing::kResume);
}

TEST_F(OutputDirectories, IsResumedWithAJournalOrWhatComesBeforeIt) {
  {
    const TempDir fresh;
    EXPECT_NO_THROW(resume_in(fresh / "new"));
  }
  make_files(temp.path(), {run_files::kSyntheticMark, run_files::kLog}, "x");
  write_text(temp / "run.files", read_text(temp / "run.files") + "run.db\n");
  write_text(temp / "run.db.virnucpro-partial", "x");
  EXPECT_NO_THROW(resume_in(temp.path()));
  make_files(temp.path(), {run_files::kJournal}, "x");
  EXPECT_NO_THROW(resume_in(temp.path()));
}

TEST_F(OutputDirectories, IsNotResumedWithTablesAlone) {
  make_files(temp.path(), {run_files::kFrameTable}, "x");
  const auto table = temp / "x_merged/prediction_results.txt";
  std::filesystem::rename(table, table.string() + ".virnucpro-partial");
  EXPECT_NO_THROW(resume_in(temp.path()));
  std::filesystem::rename(table.string() + ".virnucpro-partial", table);
  EXPECT_EQ(thrown_kind([&] { resume_in(temp.path()); }), ErrorKind::kOutputExists);
}

TEST_F(OutputDirectories, LosesItsLeftoversOnly) {
  make_files(temp.path(), {run_files::kJournal, run_files::kSequenceTable}, "x");
  std::filesystem::rename(temp / "sequences.tsv", temp / "sequences.tsv.virnucpro-partial");
  write_text(temp / "mine.virnucpro-partial", "x");
  OutputDirectory(temp.path(), "x", Existing::kResume).clear_leftovers();
  EXPECT_TRUE(std::filesystem::exists(temp / "run.db"));
  EXPECT_TRUE(std::filesystem::exists(temp / "mine.virnucpro-partial"));
  EXPECT_TRUE(std::filesystem::exists(temp / "run.files"));
  EXPECT_EQ(temp.entries(), 3U);
}

}  // namespace
}  // namespace virnucpro

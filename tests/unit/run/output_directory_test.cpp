#include "run/output_directory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <iterator>
#include <sstream>
#include <utility>

#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

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
    EXPECT_EQ(directory.log(), path / "logs" / "virnucpro.log");
  }
  EXPECT_TRUE(std::filesystem::is_empty(path));
}

TEST_F(OutputDirectories, IsNotTakenFromOthers) {
  write_text(temp / "thesis.tex", "x");
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(thrown_kind([&] { OutputDirectory(temp.path(), "x", Existing::kRefuse); }),
              ErrorKind::kOutputExists);
  }
  EXPECT_EQ(temp.entries(), 1U);
}

TEST_F(OutputDirectories, IsClearedOfItsOwnFilesOnly) {
  const auto in = [this](const std::string& name) { return temp / name; };
  for (const char* folder : {"s_merged", "logs", "other_merged", "mixed_merged", "virus.fasta"}) {
    std::filesystem::create_directory(in(folder));
  }
  const std::vector<std::string> own = names_in(
      "sequences.tsv run.db run.db-wal s_chunked500.fa report.html embeddings.h5 "
      "telemetry_1.h5 s_identified_protein.faa SYNTHETIC_WEIGHTS sequences.tsv.partial "
      "sequences.fasta.partial s_merged/prediction_results.txt "
      "other_merged/prediction_results.txt mixed_merged/prediction_results_highestscore.csv "
      "other_chunked300.fa other_chunked300.fa.partial other_identified_nucleotide.fa "
      "logs/virnucpro.log logs/gpu_metrics_2.log failed_inputs.txt");
  const std::vector<std::string> foreign = names_in(
      "thesis.tex sequences.fasta other_chunkedx.fa s_chunked.fa telemetry.txt "
      "logs/mine.log mixed_merged/mine.txt prediction_results.txt");
  for (const std::string& name : own) write_text(in(name), "x");
  for (const std::string& name : foreign) write_text(in(name), "x");
  std::filesystem::create_symlink("thesis.tex", in("report.md"));
  {
    const OutputDirectory directory(temp.path(), "s", Existing::kReplace);
    for (const std::string& name : own) EXPECT_TRUE(std::filesystem::exists(in(name))) << name;
    for (const std::string& name : own) EXPECT_TRUE(directory.would_clear(in(name))) << name;
    for (const std::string& name : foreign) EXPECT_FALSE(directory.would_clear(in(name))) << name;
    directory.clear();
  }
  for (const std::string& name : own) EXPECT_FALSE(std::filesystem::exists(in(name))) << name;
  for (const std::string& name : foreign) EXPECT_TRUE(std::filesystem::exists(in(name))) << name;
  EXPECT_FALSE(std::filesystem::exists(in("s_merged")));
  EXPECT_FALSE(std::filesystem::exists(in("other_merged")));
  EXPECT_TRUE(std::filesystem::exists(in("virus.fasta")));  // a folder, so not this program's file
}

TEST_F(OutputDirectories, KnowsARunThatDidNotFinish) {
  const auto refusal = [this]() -> std::string {
    try {
      OutputDirectory(temp.path(), "s", Existing::kRefuse);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  write_text(temp / "run.db", "x");
  EXPECT_THAT(refusal(), testing::HasSubstr("did not finish"));
  write_text(temp / "sequences.tsv", "x");
  EXPECT_THAT(refusal(), testing::Not(testing::HasSubstr("did not finish")));
}

TEST_F(OutputDirectories, IsRefusedWhileAnotherRunHoldsIt) {
  Holder holder(temp.path());
  for (const Existing existing : {Existing::kRefuse, Existing::kReplace, Existing::kResume}) {
    try {
      const OutputDirectory directory(temp.path(), "s", existing);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kOutputBusy);
      EXPECT_THAT(error.what(), testing::HasSubstr(own_host()));
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(holder.pid())));
    }
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
  for (const char* name : {"SYNTHETIC_WEIGHTS", "run.db.partial"}) {
    write_text(temp / name, "x");
  }
  std::filesystem::create_directory(temp / "logs");
  write_text(temp / "logs/virnucpro.log", "2026-11-22 00:00:00 x");
  EXPECT_NO_THROW(resume_in(temp.path()));
  write_text(temp / "thesis.tex", "x");
  EXPECT_EQ(thrown_kind([&] { resume_in(temp.path()); }), ErrorKind::kOutputExists);
  write_text(temp / "run.db", "x");
  EXPECT_NO_THROW(resume_in(temp.path()));
}

TEST_F(OutputDirectories, IsNotResumedWithTablesAlone) {
  std::filesystem::create_directory(temp / "x_merged");
  write_text(temp / "x_merged/prediction_results.txt.partial", "half");
  EXPECT_NO_THROW(resume_in(temp.path()));
  write_text(temp / "x_merged/prediction_results.txt", "whole");
  EXPECT_EQ(thrown_kind([&] { resume_in(temp.path()); }), ErrorKind::kOutputExists);
}

TEST_F(OutputDirectories, LosesItsLeftoversOnly) {
  for (const char* name : {"sequences.tsv.partial", "run.db", ".sort-x", "mine.partial"}) {
    write_text(temp / name, "x");
  }
  OutputDirectory(temp.path(), "x", Existing::kResume).clear_leftovers();
  EXPECT_TRUE(std::filesystem::exists(temp / "run.db"));
  EXPECT_TRUE(std::filesystem::exists(temp / "mine.partial"));
  EXPECT_EQ(temp.entries(), 2U);
}

}  // namespace
}  // namespace virnucpro

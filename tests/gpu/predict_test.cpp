#include "run/predict.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "gpu/on_device.hpp"
#include "measure/datasets/generate.hpp"
#include "tensor/device.hpp"
#include "unit/engine/tiny_models.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

struct PredictOnGpu : testing::TestWithParam<KernelPath> {
  PredictOnGpu() { write_sequences(300); }

  void write_sequences(std::uint64_t count) {
    std::ofstream file(directory / "coding.fa");
    generate_fasta({.seed = 5, .count = count, .length = FixedLength{140}, .coding = {9, 10}},
                   [&file](std::string_view text) { file << text; });
  }

  RunSummary run(const ComputeSettings& compute, Existing existing = Existing::kReplace) {
    PredictSettings settings;
    settings.inputs.paths.push_back((directory / "coding.fa").string());
    settings.models = {.dnabert_s = "synthetic:dnabert-s-tiny",
                       .esm2 = "synthetic:esm2_tiny",
                       .classifier = "synthetic",
                       .lookup = tiny_lookup()};
    settings.compute = compute;
    settings.compute.generic_kernels = GetParam() == KernelPath::kGeneric;
    settings.chunk_size = 100;
    settings.output = directory / "out";
    settings.existing = existing;
    settings.stem = std::string("x");  // with = "x" GCC 12 gives a false warning (its bug 105651)
    settings.classifier_name = std::string("custom");
    return predict(settings, counters, cancel, [](std::string_view) {});
  }

  // A run's three tables.
  std::vector<std::string> tables(const ComputeSettings& compute) {
    EXPECT_GE(run(compute).counts.frames, 300U);
    const std::filesystem::path out = directory / "out";
    return {read_text(out / "x_merged/prediction_results.txt"),
            read_text(out / "x_merged/prediction_results_highestscore.csv"),
            read_text(out / "sequences.tsv")};
  }

  TempDir directory;
  RunCounters counters;
  Cancel cancel;
};

INSTANTIATE_TEST_SUITE_P(Kernels, PredictOnGpu, kKernelPaths, name_of_path);

TEST_P(PredictOnGpu, WritesTheSameTablesWhateverTheBatches) {
  for (const Precision precision :
       {Precision::kFp32, Precision::kFp16, Precision::kBf16, Precision::kInt8}) {
    const auto expected = tables({.precision = precision, .gpus = {{.index = 0}}});
    for (const std::size_t budget : {64U, 700U, 5000U}) {
      for (const std::size_t prefetch : {1U, 6U}) {
        EXPECT_EQ(tables({.threads = 4,
                          .precision = precision,
                          .gpus = {{.index = 0}},
                          .token_budget = budget,
                          .prefetch = prefetch}),
                  expected)
            << name_of(precision) << ", " << budget << " tokens, prefetch " << prefetch;
      }
    }
    EXPECT_EQ(tables({.precision = precision,
                      .gpus = {{.index = 0}},
                      .packing = false,
                      .deduplicate = false}),
              expected);
  }
}

TEST_P(PredictOnGpu, ResumesInInt8OnlyWithTheSameLinearsIn16Bits) {
  const auto keeping = [](std::string_view kept) {
    return ComputeSettings{.precision = Precision::kInt8,
                           .int8_policy = Int8Policy::parse(kept).value(),
                           .gpus = {{.index = 0}}};
  };
  run(keeping("fc2"));
  const std::string every_layer = fmt::format("0-{}.fc2", tiny_models().esm2.shape.layers - 1);
  EXPECT_NO_THROW(run(keeping(every_layer), Existing::kResume));
  EXPECT_THAT(
      reason_of(ErrorKind::kJournalMismatch, [&] { run(keeping("qkv"), Existing::kResume); }),
      testing::HasSubstr("--int8-keep"));
}

TEST_P(PredictOnGpu, HasTheRowsOfTheCpu) {
  const auto cpu = tables({});
  const auto gpu = tables({.precision = Precision::kFp32, .gpus = {{.index = 0}}});
  // Scores may differ in the last digits; ids and calls must not.
  const auto calls = [](const std::string& table) {
    std::vector<std::string> words;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      words.push_back(line.substr(0, line.find('\t', line.find('\t') + 1)));
    }
    return words;
  };
  EXPECT_GT(calls(cpu[0]).size(), 300U);
  EXPECT_EQ(calls(gpu[0]), calls(cpu[0]));
}

// The program: beside this test in a bundle, in bin/ in a build.
std::filesystem::path folder_of_tests() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::filesystem::path program() {
  const auto here = folder_of_tests();
  const auto beside = here / "virnucpro";
  return std::filesystem::exists(beside) ? beside : here.parent_path() / "bin" / "virnucpro";
}

// Worker processes on the first `count` GPUs.
ComputeSettings processes(std::size_t count, Precision precision = Precision::kFp16) {
  ComputeSettings compute{.precision = precision, .token_budget = 400};
  compute.worker_program = program();
  const DeviceSurvey survey = find_devices();
  for (std::size_t i = 0; i < count; ++i) {
    const DeviceInfo& device = survey.devices.at(i);
    compute.gpus.push_back({.index = device.index, .uuid = device.uuid, .pci = device.pci});
  }
  return compute;
}

// Enough sequences to take seconds, so that something can happen meanwhile.
constexpr std::uint64_t kLongEnough = 100'000;

// Kills the first child process that it sees, once.
class Killer {
 public:
  Killer() : thread_([this] { run(); }) {}
  ~Killer() { thread_.join(); }
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

  bool has_killed() const { return killed_; }

 private:
  void run() {
    for (int turn = 0; turn < 3000 && !killed_; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      for (const pid_t child : children()) killed_ = ::kill(child, SIGKILL) == 0;
    }
  }

  static std::vector<pid_t> children() {
    std::vector<pid_t> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream list(task.path() / "children");
      for (pid_t child = 0; list >> child;) found.push_back(child);
    }
    return found;
  }

  std::atomic<bool> killed_{false};
  std::thread thread_;
};

TEST_P(PredictOnGpu, WritesTheSameTablesFromProcessesOnAnyNumberOfGpus) {
  for (const Precision precision : {Precision::kFp16, Precision::kInt8}) {
    const auto expected = tables({.precision = precision, .gpus = {{.index = 0}}});
    for (std::size_t count = 1; count <= find_devices().devices.size(); ++count) {
      EXPECT_EQ(tables(processes(count, precision)), expected)
          << name_of(precision) << ", " << count << " GPUs";
    }
  }
}

TEST_P(PredictOnGpu, SurvivesAKernelThatWritesOutOfBounds) {
  write_sequences(kLongEnough);
  const auto expected = tables({.precision = Precision::kFp16, .gpus = {{.index = 0}}});
  const auto mark = directory / "broke";
  ::setenv("VIRNUCPRO_FAULT_MARK", mark.c_str(), 1);
  ComputeSettings compute = processes(find_devices().devices.size());
  compute.worker_program = folder_of_tests() / "faulty_worker";
  EXPECT_EQ(tables(compute), expected);
  EXPECT_TRUE(std::filesystem::exists(mark));
  ::unsetenv("VIRNUCPRO_FAULT_MARK");
}

TEST_P(PredictOnGpu, SurvivesAWorkerThatIsKilled) {
  write_sequences(kLongEnough);
  for (const Precision precision : {Precision::kFp16, Precision::kInt8}) {
    const auto expected = tables({.precision = precision, .gpus = {{.index = 0}}});
    const Killer killer;
    EXPECT_EQ(tables(processes(find_devices().devices.size(), precision)), expected)
        << name_of(precision);
    EXPECT_TRUE(killer.has_killed());
  }
}

}  // namespace
}  // namespace virnucpro

#include "run/require_memory.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "engine/cpu_budget.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kAGib = std::uint64_t{1} << 30U;

EngineModels models_of_3b() {
  EngineModels models;
  models.esm2.shape = {.layers = 36, .width = 2560, .heads = 40, .ffn = 10240};
  models.dnabert_s.shape = {.layers = 12, .width = 768, .heads = 12, .ffn = 3072};
  return models;
}

// A control group with a limit of memory.
struct MemoryOfAJob : testing::Test {
  MemoryOfAJob() {
    std::filesystem::create_directories(root.path() / "proc/self");
    std::filesystem::create_directories(root.path() / "cg");
    std::ofstream(root.path() / "proc/self/cgroup") << "0::/\n";
    std::ofstream(root.path() / "proc/self/mountinfo") << "3 2 0:2 / /cg rw - cgroup2 x rw\n";
  }
  void allow(const std::string& bytes) const {
    std::ofstream(root.path() / "cg/memory.max") << bytes << "\n";
  }
  void allow(std::uint64_t bytes) const { allow(std::to_string(bytes)); }
  void check(const EngineSettings& settings, std::size_t processes = 1) const {
    require_memory(models_of_3b(), settings, processes, root.path());
  }
  // Returns the error's detail and advice.
  std::string refusal(const EngineSettings& settings, std::size_t processes = 1) const {
    const Error error = thrown([&] { check(settings, processes); });
    EXPECT_EQ(error.kind(), ErrorKind::kOutOfMemory);
    return error.detail() + " " + std::string(error.remedy());
  }

  TemporaryFolder root;
  const ScopedVariable no_job{"SLURM_JOB_ID", std::nullopt};
};

TEST_F(MemoryOfAJob, MustHoldTheModelsAndABatch) {
  constexpr std::uint64_t kBeside = std::uint64_t{64} << 20U;
  const std::uint64_t need = cpu_memory_need(models_of_3b(), {}).all() + kBeside;
  EXPECT_GT(need, 10 * kAGib);
  EXPECT_LT(need, 12 * kAGib);
  allow(need);
  EXPECT_NO_THROW(check({}));
  allow(need - 1);
  EXPECT_THAT(refusal({}), HasSubstr("the models with a batch take"));
}

TEST_F(MemoryOfAJob, IsToldInMebibytesWhereItIsSmall) {
  constexpr std::uint64_t kAMib = std::uint64_t{1} << 20U;
  allow(60 * kAMib);
  EXPECT_THAT(reason_of(ErrorKind::kOutOfMemory, [&] { require_memory({}, {}, 1, root.path()); }),
              AllOf(HasSubstr(" take 64 MiB, but"), HasSubstr("may use 60 MiB")));
}

TEST_F(MemoryOfAJob, IsToldWithWhatToAskFor) {
  allow(8 * kAGib);
  EXPECT_THAT(refusal({}),
              AllOf(HasSubstr("the models with a batch take 11.0 GiB, but this job or container "
                              "may use 8.0 GiB"),
                    HasSubstr("the job or container 14 GiB of memory, or use --precision bf16")));
  const ScopedVariable job("SLURM_JOB_ID", "7");
  EXPECT_THAT(refusal({}), HasSubstr("Ask for more memory: #SBATCH --mem=14G"));
  EXPECT_THAT(refusal({.token_budget = 1U << 20U}),
              AllOf(HasSubstr("take 101.0 GiB"), HasSubstr("a smaller --token-budget")));
}

TEST_F(MemoryOfAJob, IsSharedByItsProcesses) {
  allow(16 * kAGib);
  EXPECT_NO_THROW(check({}));
  EXPECT_THAT(refusal({}, 2),
              AllOf(HasSubstr("in each of 2 processes"), HasSubstr("or use fewer --cpu-workers")));
}

TEST_F(MemoryOfAJob, IsNeededByThePrecision) {
  allow(6 * kAGib);
  EXPECT_NO_THROW(check({.precisions = {Precision::kBf16}}));
  EXPECT_NO_THROW(check({.precisions = {Precision::kInt8}}));
  EXPECT_THAT(refusal({.precisions = {Precision::kInt8, Precision::kFp32}}),
              AllOf(HasSubstr("take 13.7 GiB"), Not(HasSubstr("bf16"))));
}

TEST_F(MemoryOfAJob, IsNoMatterWithoutALimitOrOnAGpu) {
  allow("max");
  EXPECT_NO_THROW(check({}));
  allow(1);
  EXPECT_NO_THROW(check({.gpu = 0}));
}

}  // namespace
}  // namespace virnucpro

#include "cli/gpu_choice.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Devices of the given major compute capabilities.
DeviceSurvey survey_of(const std::vector<int>& majors) {
  DeviceSurvey survey;
  survey.runtime = 13000;
  survey.driver = 13000;
  survey.state = majors.empty() ? CudaState::kNoDevice : CudaState::kReady;
  for (const int major : majors) {
    DeviceInfo device;
    device.index = static_cast<int>(survey.devices.size());
    device.name = "GPU of " + std::to_string(major);
    device.uuid = "GPU-" + std::to_string(device.index);
    device.compute_major = major;
    survey.devices.push_back(device);
  }
  return survey;
}

std::vector<int> indices(const std::vector<GpuId>& places) {
  std::vector<int> result;
  for (const GpuId& place : places) result.push_back(place.index);
  return result;
}

std::string refusal(const DeviceSurvey& survey, const std::string& asked) {
  return reason_of(ErrorKind::kDevice, [&] { find_gpus(survey, asked, numbers_of(asked)); });
}

TEST(ListOf, IsWhatStandsBehindCuda) {
  EXPECT_EQ(numbers_of("cuda"), "");
  EXPECT_EQ(numbers_of("cuda:all"), "all");
  EXPECT_EQ(numbers_of("cuda:0,2"), "0,2");
  EXPECT_EQ(numbers_of("3"), "3");
}

TEST(FindGpus, TakesTheOneNamedOrTheFirstThatWillDo) {
  const DeviceSurvey survey = survey_of({7, 8, 9});
  EXPECT_THAT(indices(find_gpus(survey, "cuda", "")), ElementsAre(1));
  EXPECT_THAT(indices(find_gpus(survey, "cuda:1", "1")), ElementsAre(1));
  EXPECT_THAT(indices(find_gpus(survey, "2", "2")), ElementsAre(2));
}

TEST(FindGpus, RefusesAnIndexBeyondTheLast) {
  const auto ask = [](const DeviceSurvey& survey) { return refusal(survey, "cuda:7"); };
  DeviceSurvey survey = survey_of({8});
  EXPECT_EQ(ask(survey), "cuda:7 was asked for: there is one GPU, cuda:0");
  survey.visible = "5";
  EXPECT_THAT(ask(survey), HasSubstr("(CUDA_VISIBLE_DEVICES is \"5\")"));
  EXPECT_THAT(ask(survey_of({8, 9})), HasSubstr("there are 2 GPUs, cuda:0 to cuda:1"));
  const ScopedVariable no_job("SLURM_JOB_ID", std::nullopt);
  EXPECT_THAT(ask(survey_of({})), HasSubstr("finds no GPU"));
}

TEST(FindGpus, RefusesAnOldOneByName) {
  const DeviceSurvey survey = survey_of({7});
  EXPECT_THAT(
      refusal(survey, "cuda:0"),
      AllOf(StartsWith("cuda:0 was asked for: cuda:0 (GPU of 7) has compute capability 7.0"),
            HasSubstr("8.0 or newer is needed")));
  EXPECT_THAT(refusal(survey, "cuda"), HasSubstr("(GPU of 7) has compute capability 7.0"));
}

TEST(FindGpus, TakesSeveral) {
  const DeviceSurvey survey = survey_of({7, 8, 9});
  EXPECT_THAT(indices(find_gpus(survey, "cuda:2,1", "2,1")), ElementsAre(2, 1));
  EXPECT_THAT(indices(find_gpus(survey, "cuda:all", "all")), ElementsAre(1, 2));
  EXPECT_THAT(refusal(survey, "cuda:1,0"), HasSubstr("has compute capability 7.0"));
  EXPECT_THAT(refusal(survey, "cuda:1,3"), HasSubstr("3 GPUs"));
}

TEST(FindGpus, RefusesOneThatIsNamedTwice) {
  EXPECT_EQ(reason_of(ErrorKind::kUsage,
                      [] {
                        find_gpus(survey_of({8, 9}), "cuda:1,1", "1,1");
                      }),
            "cuda:1,1: GPU 1 is named twice");
}

TEST(FindGpus, NamesThemAsAProcessCanBeShownThemAlone) {
  DeviceSurvey survey = survey_of({9, 9});
  survey.devices[1].pci = "0000:3b:00.0";
  EXPECT_EQ(find_gpus(survey, "1", "1")[0].uuid, "GPU-1");
  EXPECT_EQ(find_gpus(survey, "1", "1")[0].pci, "0000:3b:00.0");
  survey.visible = "MIG-aa,MIG-bb";
  EXPECT_EQ(find_gpus(survey, "1", "1")[0].uuid, "MIG-bb");
  survey.visible = "5,3";
  EXPECT_EQ(find_gpus(survey, "0", "0")[0].uuid, "5");
  survey.visible = "";
  EXPECT_EQ(find_gpus(survey, "0", "0")[0].uuid, "GPU-0");
}

TEST(FindGpusAlike, LeavesOutThoseThatWouldGiveOtherBits) {
  EXPECT_THAT(indices(find_gpus_alike(survey_of({7, 9, 8, 9}))), ElementsAre(1, 3));
  EXPECT_THAT(indices(find_gpus_alike(survey_of({8, 8, 12}))), ElementsAre(0, 1));
  EXPECT_THAT(indices(find_gpus_alike(survey_of({}))), ElementsAre());
}

TEST(WhyNotOnGpu, IsSaidWhereAGpuSeemsToBeThere) {
  EXPECT_EQ(why_not_on_gpu(survey_of({9})), "");
  EXPECT_EQ(why_not_on_gpu(survey_of({7, 9})), "");
  EXPECT_THAT(why_not_on_gpu(survey_of({7, 6})),
              HasSubstr("cuda:1 (GPU of 6) has compute capability 6.0"));
  DeviceSurvey none = survey_of({});
  for (const CudaState state :
       {CudaState::kNotBuiltIn, CudaState::kNoDriver, CudaState::kNoDevice}) {
    none.state = state;
    EXPECT_EQ(why_not_on_gpu(none), "");
  }
  none.state = CudaState::kDriverTooOld;
  none.driver = 12080;
  EXPECT_THAT(why_not_on_gpu(none), HasSubstr("12.8"));
  none.state = CudaState::kFailed;
  none.failure = "cudaErrorSystemNotReady";
  EXPECT_THAT(why_not_on_gpu(none), HasSubstr(none.failure));
}

}  // namespace
}  // namespace virnucpro

#include "cli/gpu_choice.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "base/error.hpp"

namespace virnucpro {
namespace {

using testing::AllOf;
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
    device.compute_major = major;
    survey.devices.push_back(device);
  }
  return survey;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    return error.detail();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(ListOf, IsWhatStandsBehindCuda) {
  EXPECT_EQ(list_of("cuda"), "");
  EXPECT_EQ(list_of("cuda:all"), "all");
  EXPECT_EQ(list_of("cuda:0,2"), "0,2");
  EXPECT_EQ(list_of("3"), "3");
}

TEST(FindGpu, TakesTheOneNamedOrTheFirstThatWillDo) {
  const DeviceSurvey survey = survey_of({7, 8, 9});
  EXPECT_EQ(find_gpu(survey, "cuda", ""), 1);
  EXPECT_EQ(find_gpu(survey, "cuda:1", "1"), 1);
  EXPECT_EQ(find_gpu(survey, "2", "2"), 2);
  EXPECT_EQ(find_gpu(survey_of({9}), "cuda:all", "all"), 0);
}

TEST(FindGpu, RefusesAnIndexBeyondTheLast) {
  const auto ask = [](const DeviceSurvey& survey) {
    return refusal([&survey] { find_gpu(survey, "cuda:7", "7"); });
  };
  DeviceSurvey survey = survey_of({8});
  EXPECT_EQ(ask(survey), "cuda:7 was asked for: there is one GPU, cuda:0");
  survey.visible = "5";
  EXPECT_THAT(ask(survey), HasSubstr("(CUDA_VISIBLE_DEVICES is \"5\")"));
  EXPECT_THAT(ask(survey_of({8, 9})), HasSubstr("there are 2 GPUs, cuda:0 to cuda:1"));
  EXPECT_THAT(ask(survey_of({})), HasSubstr("finds no GPU"));
}

TEST(FindGpu, RefusesAnOldOneByName) {
  const DeviceSurvey survey = survey_of({7});
  EXPECT_THAT(refusal([&] { find_gpu(survey, "cuda:0", "0"); }),
              AllOf(StartsWith("cuda:0 was asked for: cuda:0 (GPU of 7) has 7.0"),
                    HasSubstr("compute capability 8.0 or newer is needed")));
  EXPECT_THAT(refusal([&] { find_gpu(survey, "cuda", ""); }), HasSubstr("(GPU of 7) has 7.0"));
}

TEST(FindGpu, RefusesSeveral) {
  const DeviceSurvey survey = survey_of({8, 9});
  for (const char* list : {"0,1", "all"}) {
    EXPECT_THAT(refusal([&] { find_gpu(survey, "cuda", list); }), HasSubstr("one GPU at a time"));
  }
}

TEST(WhyNotOnGpu, IsSaidWhereAGpuSeemsToBeThere) {
  EXPECT_EQ(why_not_on_gpu(survey_of({9})), "");
  EXPECT_EQ(why_not_on_gpu(survey_of({7, 9})), "");
  EXPECT_THAT(why_not_on_gpu(survey_of({7, 6})), HasSubstr("cuda:1 (GPU of 6) has 6.0"));
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

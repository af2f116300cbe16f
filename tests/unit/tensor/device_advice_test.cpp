#include "tensor/device_advice.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "unit/temp_dir.hpp"
#include "unit/variable.hpp"

namespace virnucpro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;

DeviceInfo device(int index, const std::string& name, int major, int minor) {
  DeviceInfo info;
  info.index = index;
  info.name = name;
  info.compute_major = major;
  info.compute_minor = minor;
  return info;
}

DeviceSurvey without_devices(CudaState state) {
  DeviceSurvey survey;
  survey.state = state;
  survey.runtime = 13000;
  return survey;
}

DeviceSurvey with_devices(std::vector<DeviceInfo> devices) {
  DeviceSurvey survey = without_devices(CudaState::kReady);
  survey.driver = 13000;
  survey.devices = std::move(devices);
  return survey;
}

TEST(CudaKernelPath, NamesTheGeneration) {
  EXPECT_EQ(cuda_kernel_path(device(0, "H100", 9, 0)), "cuda-sm90a");
  EXPECT_EQ(cuda_kernel_path(device(0, "H100", 9, 0), true), "cuda-mma-sm90");
  EXPECT_EQ(cuda_kernel_path(device(0, "A100", 8, 0)), "cuda-mma-sm80");
  EXPECT_EQ(cuda_kernel_path(device(0, "L40S", 8, 9)), "cuda-mma-sm89");
  EXPECT_EQ(cuda_kernel_path(device(0, "RTX PRO", 12, 0)), "cuda-mma-sm120");
}

TEST(CudaState, TellsAnAbsentDriverFromAnOldOne) {
  const auto state = [](int status, int driver, int count) {
    DeviceSurvey survey;
    survey.runtime = 13000;
    survey.driver = driver;
    return cuda_state(status, count, survey);
  };
  EXPECT_EQ(state(0, 13000, 2), CudaState::kReady);
  EXPECT_EQ(state(0, 13000, 0), CudaState::kNoDevice);
  EXPECT_EQ(state(kCudaInsufficientDriver, 0, 0), CudaState::kNoDriver);
  EXPECT_EQ(state(kCudaInsufficientDriver, 12040, 0), CudaState::kDriverTooOld);
  EXPECT_EQ(state(kCudaInsufficientDriver, 13000, 0), CudaState::kFailed);
  EXPECT_EQ(state(kCudaNoDevice, 13000, 0), CudaState::kNoDevice);
  EXPECT_EQ(state(802, 13000, 0), CudaState::kFailed);
}

TEST(DriverNeeded, FollowsTheMajorVersionOfCuda) {
  EXPECT_EQ(driver_needed(13000), "driver 580 or newer");
  EXPECT_EQ(driver_needed(13010), "driver 580 or newer");
  EXPECT_EQ(driver_needed(12040), "driver 525 or newer");
  EXPECT_EQ(driver_needed(14020), "a driver for CUDA 14.2 or newer");
}

TEST(WhyNone, SaysWhatToDo) {
  EXPECT_EQ(why_none(with_devices({device(0, "NVIDIA A10", 8, 6)})), "");
  EXPECT_THAT(why_none({}), HasSubstr("built without CUDA"));
  const ScopedVariable no_job("SLURM_JOB_ID", std::nullopt);
  EXPECT_THAT(why_none(without_devices(CudaState::kNoDriver)),
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("driver 580"), HasSubstr("--nv")));

  DeviceSurvey old = without_devices(CudaState::kDriverTooOld);
  old.driver = 12040;
  EXPECT_THAT(why_none(old), AllOf(HasSubstr("supports CUDA 12.4"), HasSubstr("needs 13.0"),
                                   HasSubstr("driver 580 or newer is needed")));

  DeviceSurvey failed = without_devices(CudaState::kFailed);
  failed.failure = "cudaErrorSystemNotReady (system not yet initialized)";
  EXPECT_THAT(why_none(failed), AllOf(HasSubstr(failed.failure), HasSubstr("nvidia-smi")));
}

TEST(WhyNone, TellsHiddenDevicesFromAbsentOnes) {
  const ScopedVariable no_job("SLURM_JOB_ID", std::nullopt);
  DeviceSurvey survey = without_devices(CudaState::kNoDevice);
  EXPECT_THAT(why_none(survey),
              AllOf(HasSubstr("finds no GPU"), Not(HasSubstr("CUDA_VISIBLE_DEVICES"))));
  survey.visible = "";
  EXPECT_THAT(why_none(survey),
              AllOf(HasSubstr("CUDA_VISIBLE_DEVICES is \"\""), HasSubstr("unset it")));
  survey.visible = "-1";
  EXPECT_THAT(why_none(survey), HasSubstr("CUDA_VISIBLE_DEVICES is \"-1\""));
}

TEST(WhyNone, TellsAJobOfSlurmToAskForAGpu) {
  const ScopedVariable job("SLURM_JOB_ID", "4711");
  const ScopedVariable of_job("SLURM_JOB_GPUS", std::nullopt);
  const ScopedVariable of_step("SLURM_STEP_GPUS", std::nullopt);
  const ScopedVariable on_node("SLURM_GPUS_ON_NODE", std::nullopt);
  DeviceSurvey hidden = without_devices(CudaState::kNoDevice);
  hidden.visible = "NoDevFiles";
  for (const DeviceSurvey& survey :
       {hidden, without_devices(CudaState::kNoDevice), without_devices(CudaState::kNoDriver)}) {
    EXPECT_THAT(why_none(survey), AllOf(HasSubstr("Slurm gave job 4711 no GPU"),
                                        HasSubstr("--gres=gpu:1"), Not(HasSubstr("unset it"))));
    const ScopedVariable gpu("SLURM_JOB_GPUS", "2");
    EXPECT_THAT(why_none(survey), Not(HasSubstr("--gres")));
  }
}

TEST(FirstUsable, PassesOverOldDevices) {
  const DeviceInfo volta = device(0, "Tesla V100", 7, 0);
  const DeviceInfo turing = device(1, "Tesla T4", 7, 5);
  const DeviceInfo ampere = device(2, "NVIDIA A10", 8, 6);
  EXPECT_EQ(first_usable(with_devices({volta, turing, ampere})), 2);
  EXPECT_EQ(first_usable(with_devices({volta, turing})), std::nullopt);
  EXPECT_EQ(first_usable({}), std::nullopt);
  EXPECT_EQ(why_none_usable(with_devices({volta, turing})),
            "cuda:0 (Tesla V100) has compute capability 7.0, cuda:1 (Tesla T4) has compute "
            "capability 7.5; 8.0 or newer is needed (A100, RTX 30 and later)");
  EXPECT_EQ(why_none_usable({}), why_none({}));
}

TEST(NotOpened, TellsMemoryFromADeviceInUse) {
  const DeviceInfo a10 = device(3, "NVIDIA A10", 8, 6);
  const Error memory = not_opened(a10, kCudaMemoryAllocation, "out of memory");
  EXPECT_EQ(memory.kind(), ErrorKind::kOutOfMemory);
  EXPECT_THAT(memory.what(), AllOf(HasSubstr("cuda:3 (NVIDIA A10)"), HasSubstr("--device cuda:N")));
  const Error busy = not_opened(a10, kCudaDevicesUnavailable, "busy or unavailable");
  EXPECT_EQ(busy.kind(), ErrorKind::kDevice);
  EXPECT_THAT(busy.what(), AllOf(HasSubstr("another program"), HasSubstr("busy or unavailable")));
  const Error other = not_opened(a10, 999, "unknown error");
  EXPECT_EQ(other.kind(), ErrorKind::kDevice);
  EXPECT_THAT(other.what(), HasSubstr("cannot be opened: unknown error"));
}

// ESM-2 3B with DNABERT-S, in fp32, on a GPU of which others took the most.
MemoryShortage shortage_of(std::uint64_t free) {
  MemoryShortage shortage{
      .device = device(0, "NVIDIA A10", 8, 6),
      .models = {.weights = kGib * 21 / 2, .batches = kGib / 5},
      .in_half = {.weights = kGib * 21 / 4, .batches = kGib / 10},
      .smaller = {{.esm2 = "esm2_t33_650M_UR50D", .weights = kGib * 3 / 2, .batches = kGib / 10},
                  {.esm2 = "esm2_t30_150M_UR50D", .weights = kGib / 2, .batches = kGib / 10}},
      .precision = kFullPrecision,
      .failed = "could not allocate 104857600 bytes of device memory for weights"};
  shortage.device.memory_free = free;
  shortage.device.memory_total = 22 * kGib;
  return shortage;
}

TEST(TooLittleMemory, NamesWhatIsNeededAndWhatHelps) {
  const Error fp32 = too_little_memory(shortage_of(9 * kGib));
  EXPECT_EQ(fp32.kind(), ErrorKind::kOutOfMemory);
  EXPECT_EQ(fp32.info().exit_code, 4);
  EXPECT_EQ(
      fp32.detail(),
      "cuda:0 (NVIDIA A10) has 9.0 GiB of 22.0 GiB free, but the models take 10.5 GiB in fp32, "
      "and the smallest batches take 0.2 GiB (could not allocate 104857600 bytes of device memory "
      "for weights); use --precision fp16 (needs 5.3 GiB with the smallest batches), --esm-model "
      "esm2_t33_650M_UR50D (needs 1.6 GiB in 16 bits, and a classifier trained with this model), "
      "another GPU (--device cuda:N) with more than 5.3 GiB free (in fp16) or --device cpu");
  MemoryShortage half = shortage_of(5 * kGib);
  half.precision = "16 bits";
  half.models = half.in_half;
  EXPECT_THAT(too_little_memory(half).detail(),
              AllOf(HasSubstr("take 5.2 GiB in 16 bits"), Not(HasSubstr("--precision")),
                    HasSubstr("esm2_t33_650M_UR50D"), HasSubstr("more than 5.3 GiB free or")));
}

// The smallest batches count: what is free is a little more than the weights.
TEST(TooLittleMemory, NamesNothingThatDoesNotFit) {
  EXPECT_THAT(too_little_memory(shortage_of(kGib * 21 / 4 + kGib / 20)).detail(),
              Not(HasSubstr("--precision")));
  EXPECT_THAT(too_little_memory(shortage_of(kGib * 3 / 2 + kGib / 20)).detail(),
              AllOf(HasSubstr("esm2_t30_150M_UR50D (needs 0.6 GiB"), Not(HasSubstr("650M"))));
  EXPECT_THAT(too_little_memory(shortage_of(kGib / 2)).detail(),
              AllOf(Not(HasSubstr("--esm-model")), HasSubstr("use another GPU")));
}

TEST(Devices, AnEmptyListHasAReason) {
  for (const DeviceSurvey& survey : {find_devices(), survey_devices()}) {
    EXPECT_EQ(survey.devices.empty(), !why_none(survey).empty());
    EXPECT_EQ(survey.runtime, cuda_built_in());
  }
}

TEST(Devices, OneThatIsNotThereIsAnError) {
  EXPECT_EQ(thrown_kind([] { survey_device(1000); }), ErrorKind::kDevice);
}

}  // namespace
}  // namespace virnucpro

#include "tensor/device_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.hpp"

namespace virnucpro {
namespace {

// The oldest driver for each major CUDA version, from NVIDIA's "CUDA Compatibility".
struct Driver {
  int cuda_major;
  int version;
};
constexpr std::array kOldestDrivers{Driver{11, 450}, Driver{12, 525}, Driver{13, 580}};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// Returns advice for a Slurm job without a GPU; otherwise empty. The advice never names
// CUDA_VISIBLE_DEVICES, because setting that variable could expose the GPUs of other jobs.
std::string what_to_ask_slurm() {
  const std::string job = slurm_job();
  const std::array names{"SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"};
  const bool has_gpu =
      std::ranges::any_of(names, [](const char* name) { return !variable(name).empty(); });
  if (job.empty() || has_gpu) return {};
  return fmt::format("Slurm gave job {} no GPU; ask for one: --gres=gpu:1", printable(job));
}

std::string why_no_device(const DeviceSurvey& survey) {
  const std::string slurm = what_to_ask_slurm();
  if (!slurm.empty()) return slurm;
  if (!survey.visible) {
    return "the NVIDIA driver finds no GPU; check with nvidia-smi -L, and in a cluster job ask for "
           "a GPU";
  }
  return fmt::format(
      "CUDA_VISIBLE_DEVICES is \"{}\", which shows this program no GPU; unset it, or "
      "set it to a GPU that nvidia-smi -L lists",
      *survey.visible);
}

// Lists the options that would fit in the device's memory, each followed by ", ".
std::string what_fits(const MemoryShortage& shortage) {
  const auto fits = [&shortage](const MemoryNeed& need) {
    return need.all() < shortage.device.memory_free;
  };
  std::string choices;
  const bool is_fp32 = shortage.precision == kFullPrecision;
  if (is_fp32 && fits(shortage.in_half)) {
    choices = fmt::format("--precision fp16 (needs {} with the smallest batches), ",
                          gib_text(shortage.in_half.all()));
  }
  const auto smaller = std::ranges::find_if(shortage.smaller, fits);
  if (smaller != shortage.smaller.end()) {
    choices += fmt::format(
        "--esm-model {} (needs {} in 16 bits, and a classifier trained with this model), ",
        smaller->esm2, gib_text(smaller->all()));
  }
  return choices;
}

}  // namespace

std::string slurm_job() {
  return variable("SLURM_JOB_ID");
}

std::string gib_text(std::uint64_t bytes) {
  constexpr double kGib = 1U << 30U;
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / kGib);
}

bool is_new_enough(const DeviceInfo& device) {
  return device.compute_major >= kLeastComputeMajor;
}

bool has_hopper_kernels(const DeviceInfo& device) {
  return device.compute_major == 9 && device.compute_minor == 0;
}

std::string cuda_kernel_path(const DeviceInfo& device, bool generic) {
  if (!generic && has_hopper_kernels(device)) return "cuda-sm90a";
  return fmt::format("cuda-mma-sm{}{}", device.compute_major, device.compute_minor);
}

CudaState cuda_state(int status, int count, const DeviceSurvey& survey) {
  if (status == 0) return count > 0 ? CudaState::kReady : CudaState::kNoDevice;
  if (status == kCudaNoDevice) return CudaState::kNoDevice;
  if (survey.driver == 0) return CudaState::kNoDriver;
  const bool is_older = survey.driver < survey.runtime;
  return status == kCudaInsufficientDriver && is_older ? CudaState::kDriverTooOld
                                                       : CudaState::kFailed;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string driver_needed(int runtime) {
  for (const Driver& driver : kOldestDrivers) {
    if (driver.cuda_major == runtime / 1000) {
      return fmt::format("driver {} or newer", driver.version);
    }
  }
  return fmt::format("a driver for CUDA {} or newer", cuda_version_text(runtime));
}

std::string why_none(const DeviceSurvey& survey) {
  switch (survey.state) {
    case CudaState::kReady:
      return {};
    case CudaState::kNotBuiltIn:
      return "this program was built without CUDA; build it on a machine with nvcc";
    case CudaState::kNoDriver:
      if (const std::string slurm = what_to_ask_slurm(); !slurm.empty()) {
        return "there is no NVIDIA driver (libcuda.so.1); " + slurm;
      }
      return fmt::format(
          "there is no NVIDIA driver (libcuda.so.1); a GPU needs {}; start a container with --nv "
          "(apptainer) or --gpus all (docker)",
          driver_needed(survey.runtime));
    case CudaState::kDriverTooOld:
      return fmt::format(
          "the NVIDIA driver is too old: it supports CUDA {}, this program needs {}; {} "
          "is needed",
          cuda_version_text(survey.driver), cuda_version_text(survey.runtime),
          driver_needed(survey.runtime));
    case CudaState::kNoDevice:
      return why_no_device(survey);
    case CudaState::kFailed:
      return fmt::format("the NVIDIA driver does not work: {}; make nvidia-smi work first",
                         survey.failure);
  }
  return {};
}

std::string why_too_old(std::span<const DeviceInfo> devices) {
  std::string old;
  for (const DeviceInfo& device : devices) {
    if (is_new_enough(device)) continue;
    old += fmt::format("{}{} has compute capability {}.{}", old.empty() ? "" : ", ",
                       device_title(device), device.compute_major, device.compute_minor);
  }
  if (old.empty()) return {};
  return fmt::format("{}; {}.0 or newer is needed (A100, RTX 30 and later)", old,
                     kLeastComputeMajor);
}

std::optional<int> first_usable(const DeviceSurvey& survey) {
  const auto found = std::find_if(survey.devices.begin(), survey.devices.end(), is_new_enough);
  return found == survey.devices.end() ? std::nullopt : std::optional(found->index);
}

std::string why_none_usable(const DeviceSurvey& survey) {
  return survey.devices.empty() ? why_none(survey) : why_too_old(survey.devices);
}

std::string device_title(const DeviceInfo& device) {
  return fmt::format("cuda:{} ({})", device.index, device.name);
}

Error not_opened(const DeviceInfo& device, int status, const std::string& words) {
  if (status == kCudaMemoryAllocation) {
    return {ErrorKind::kOutOfMemory,
            fmt::format("{}: other programs use all of its memory (nvidia-smi lists them); "
                        "use another GPU (--device cuda:N), or wait for them",
                        device_title(device))};
  }
  if (status == kCudaDevicesUnavailable) {
    return {ErrorKind::kDevice,
            fmt::format("{} is reserved by another program (nvidia-smi lists it); use another GPU "
                        "(--device cuda:N), or wait for it: {}",
                        device_title(device), words)};
  }
  return {ErrorKind::kDevice, fmt::format("{} cannot be opened: {}; nvidia-smi shows its state",
                                          device_title(device), words)};
}

Error too_little_memory(const MemoryShortage& shortage) {
  const DeviceInfo& device = shortage.device;
  const MemoryNeed& models = shortage.models;
  const bool is_fp32 = shortage.precision == kFullPrecision;
  return {
      ErrorKind::kOutOfMemory,
      fmt::format("{} has {} of {} free, but the models take {} in {}, and the smallest batches "
                  "take {} ({}); use {}another GPU (--device cuda:N) with more than {} free{} or "
                  "--device cpu",
                  device_title(device), gib_text(device.memory_free), gib_text(device.memory_total),
                  gib_text(models.weights), shortage.precision, gib_text(models.batches),
                  shortage.failed, what_fits(shortage),
                  gib_text(is_fp32 ? shortage.in_half.all() : models.all()),
                  is_fp32 ? " (in fp16)" : "")};
}

}  // namespace virnucpro

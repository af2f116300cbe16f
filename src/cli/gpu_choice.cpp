#include "cli/gpu_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kPrefix = "cuda:";

std::string how_many(const DeviceSurvey& survey) {
  const std::size_t count = survey.devices.size();
  std::string text = count == 1
                         ? "there is one GPU, cuda:0"
                         : fmt::format("there are {} GPUs, cuda:0 to cuda:{}", count, count - 1);
  if (survey.visible) text += fmt::format(" (CUDA_VISIBLE_DEVICES is \"{}\")", *survey.visible);
  return text;
}

// Returns why a GPU cannot be used; empty if it can be used.
std::string why_not(const DeviceSurvey& survey, std::uint64_t index) {
  if (index >= survey.devices.size()) return how_many(survey);
  return why_too_old(std::span(survey.devices).subspan(index, 1));
}

// Returns a value for CUDA_VISIBLE_DEVICES with which a process sees only this GPU: the GPU's entry
// in the variable's current value (an index, a UUID or the id of a MIG part), or the GPU's UUID if
// there is no entry.
std::string shown_as(const DeviceSurvey& survey, const DeviceInfo& device) {
  std::string_view rest = survey.visible ? *survey.visible : std::string_view{};
  for (int index = 0; !rest.empty(); ++index) {
    const std::size_t comma = rest.find(',');
    if (index == device.index) return std::string(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return device.uuid;
}

GpuId gpu_id_of(const DeviceSurvey& survey, const DeviceInfo& device) {
  return {.index = device.index, .uuid = shown_as(survey, device), .pci = device.pci};
}

std::vector<GpuId> usable_gpus(const DeviceSurvey& survey) {
  std::vector<GpuId> gpus;
  for (const DeviceInfo& device : survey.devices) {
    if (is_new_enough(device)) gpus.push_back(gpu_id_of(survey, device));
  }
  return gpus;
}

std::vector<std::uint64_t> indices_of(std::string_view list) {
  std::vector<std::uint64_t> indices;
  while (true) {
    const std::size_t comma = list.find(',');
    indices.push_back(parse_count(list.substr(0, comma)).value_or(0));
    if (comma == std::string_view::npos) return indices;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool is_gpu_list(std::string_view text) {
  while (true) {
    const std::size_t comma = text.find(',');
    if (!parse_count(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool names_a_gpu(std::string_view device) {
  if (device == "cuda" || device == "cuda:all" || parse_count(device)) return true;
  return device.starts_with(kPrefix) && is_gpu_list(device.substr(kPrefix.size()));
}

std::string_view numbers_of(std::string_view device) {
  if (device == "cuda") return {};
  if (device.starts_with(kPrefix)) device.remove_prefix(kPrefix.size());
  return device;
}

std::vector<GpuId> find_gpus(const DeviceSurvey& survey, std::string_view asked_for,
                             std::string_view list) {
  const auto check = [asked_for](const std::string& why) {
    if (why.empty()) return;
    throw Error(ErrorKind::kDevice, fmt::format("{} was asked for: {}", asked_for, why));
  };
  check(why_none(survey));
  if (list.empty() || list == "all") {
    const std::vector<GpuId> usable = usable_gpus(survey);
    if (usable.empty()) check(why_none_usable(survey));
    return list.empty() ? std::vector<GpuId>{usable.front()} : usable;
  }
  std::vector<GpuId> gpus;
  for (const std::uint64_t index : indices_of(list)) {
    check(why_not(survey, index));
    const bool is_there = std::any_of(gpus.begin(), gpus.end(), [index](const auto& gpu) {
      return std::cmp_equal(gpu.index, index);
    });
    if (is_there) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: GPU {} is named twice", asked_for, index));
    }
    gpus.push_back(gpu_id_of(survey, survey.devices[index]));
  }
  return gpus;
}

std::vector<GpuId> find_gpus_alike(const DeviceSurvey& survey) {
  std::vector<GpuId> gpus;
  for (const GpuId& gpu : usable_gpus(survey)) {
    const DeviceInfo& device = survey.devices[static_cast<std::size_t>(gpu.index)];
    const auto first = gpus.empty() ? gpu.index : gpus.front().index;
    if (cuda_kernel_path(device) ==
        cuda_kernel_path(survey.devices[static_cast<std::size_t>(first)])) {
      gpus.push_back(gpu);
    } else {
      log_warning("{} is not used: its results differ in the last digits from those of cuda:{}",
                  device_title(device), first);
    }
  }
  return gpus;
}

std::string why_not_on_gpu(const DeviceSurvey& survey) {
  switch (survey.state) {
    case CudaState::kReady:
      return first_usable(survey) ? "" : why_none_usable(survey);
    case CudaState::kDriverTooOld:
    case CudaState::kFailed:
      return why_none(survey);
    case CudaState::kNotBuiltIn:
    case CudaState::kNoDriver:
    case CudaState::kNoDevice:
      return {};
  }
  return {};
}

}  // namespace virnucpro

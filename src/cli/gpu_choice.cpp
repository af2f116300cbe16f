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

// Empty: it can be used.
std::string why_not(const DeviceSurvey& survey, std::uint64_t index) {
  if (index >= survey.devices.size()) return how_many(survey);
  return why_too_old(std::span(survey.devices).subspan(index, 1));
}

// By what a process is shown this GPU alone: as CUDA_VISIBLE_DEVICES names it already (an index, a
// part of a GPU), or else its UUID.
std::string shown_as(const DeviceSurvey& survey, const DeviceInfo& device) {
  std::string_view rest = survey.visible ? *survey.visible : std::string_view{};
  for (int index = 0; !rest.empty(); ++index) {
    const std::size_t comma = rest.find(',');
    if (index == device.index) return std::string(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return device.uuid;
}

GpuPlace place_of(const DeviceSurvey& survey, const DeviceInfo& device) {
  return {.index = device.index, .uuid = shown_as(survey, device), .pci = device.pci};
}

std::vector<GpuPlace> usable_places(const DeviceSurvey& survey) {
  std::vector<GpuPlace> places;
  for (const DeviceInfo& device : survey.devices) {
    if (is_new_enough(device)) places.push_back(place_of(survey, device));
  }
  return places;
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

std::string_view list_of(std::string_view device) {
  if (device == "cuda") return {};
  if (device.starts_with(kPrefix)) device.remove_prefix(kPrefix.size());
  return device;
}

std::vector<GpuPlace> find_gpus(const DeviceSurvey& survey, std::string_view asked_for,
                                std::string_view list) {
  const auto check = [asked_for](const std::string& why) {
    if (why.empty()) return;
    throw Error(ErrorKind::kDevice, fmt::format("{} was asked for: {}", asked_for, why));
  };
  check(why_none(survey));
  if (list.empty() || list == "all") {
    const std::vector<GpuPlace> usable = usable_places(survey);
    if (usable.empty()) check(why_none_usable(survey));
    return list.empty() ? std::vector<GpuPlace>{usable.front()} : usable;
  }
  std::vector<GpuPlace> places;
  for (const std::uint64_t index : indices_of(list)) {
    check(why_not(survey, index));
    const bool is_there = std::any_of(places.begin(), places.end(), [index](const auto& place) {
      return std::cmp_equal(place.index, index);
    });
    if (is_there) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: GPU {} is named twice", asked_for, index));
    }
    places.push_back(place_of(survey, survey.devices[index]));
  }
  return places;
}

std::vector<GpuPlace> find_gpus_alike(const DeviceSurvey& survey) {
  std::vector<GpuPlace> places;
  for (const GpuPlace& place : usable_places(survey)) {
    const DeviceInfo& device = survey.devices[static_cast<std::size_t>(place.index)];
    const auto first = places.empty() ? place.index : places.front().index;
    if (has_hopper_kernels(device) ==
        has_hopper_kernels(survey.devices[static_cast<std::size_t>(first)])) {
      places.push_back(place);
    } else {
      log_warning("{} is left out: its results have other last digits than cuda:{}'s",
                  device_title(device), first);
    }
  }
  return places;
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

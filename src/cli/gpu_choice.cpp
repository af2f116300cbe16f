#include "cli/gpu_choice.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "base/error.hpp"
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

int find_gpu(const DeviceSurvey& survey, std::string_view asked_for, std::string_view list) {
  const auto check = [asked_for](const std::string& why) {
    if (why.empty()) return;
    throw Error(ErrorKind::kDevice, fmt::format("{} was asked for: {}", asked_for, why));
  };
  check(why_none(survey));
  const bool is_all = list == "all" && survey.devices.size() > 1;
  if (is_all || list.find(',') != std::string_view::npos) {
    check("this version computes on one GPU at a time; give one index");
  }
  if (list.empty()) {
    const std::optional<int> first = first_usable(survey);
    if (!first) check(why_none_usable(survey));
    return *first;
  }
  const std::uint64_t index = parse_count(list).value_or(0);
  check(why_not(survey, index));
  return static_cast<int>(index);
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

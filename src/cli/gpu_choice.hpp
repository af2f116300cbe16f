#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/settings.hpp"
#include "tensor/device.hpp"

namespace virnucpro {

// These functions find the GPUs that --device and --gpus name.

// True for a list of indices in CUDA's order: "0" or "0,2".
bool is_gpu_list(std::string_view text);
// True for "cuda", "cuda:all", "cuda:" followed by a list of indices, and an index alone.
bool names_a_gpu(std::string_view device);
// Returns the argument `list` of find_gpus() for a device: "0,2" for "cuda:0,2", empty for "cuda".
std::string_view numbers_of(std::string_view device);

// Returns the GPUs in a list, or for "all" all usable GPUs; for an empty list, the first usable
// GPU. Errors: kDevice, naming `asked_for`, for a missing or too old GPU; kUsage for a repeated
// GPU.
std::vector<GpuId> find_gpus(const DeviceSurvey& survey, std::string_view asked_for,
                             std::string_view list);

// Returns the GPUs for a run that names none: the usable GPUs that give the same bits as the first
// usable GPU. Warns of the GPUs that are left out.
std::vector<GpuId> find_gpus_alike(const DeviceSurvey& survey);

inline constexpr std::string_view kPrecisionsOfTheCpu =
    "the CPU computes in fp32, in bf16 where it has AVX512_BF16, and shows the errors of int8 in "
    "int8-simulated";

// Returns why a run with --device auto uses the CPU although there seems to be a GPU; else empty.
std::string why_not_on_gpu(const DeviceSurvey& survey);

}  // namespace virnucpro

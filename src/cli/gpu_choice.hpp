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
// True for "cuda", "cuda:all", "cuda:" and a list, or an index.
bool names_a_gpu(std::string_view device);
// Returns the part of a GPU's name for find_gpus(): "all", a list, or nothing for "cuda".
std::string_view numbers_of(std::string_view device);

// Returns the GPUs in a list, or for "all"; without either, the first usable GPU. Errors: kDevice,
// naming `asked_for`, for a GPU that is missing or too old; kUsage for a GPU that is named twice.
std::vector<GpuId> find_gpus(const DeviceSurvey& survey, std::string_view asked_for,
                             std::string_view list);

// Returns the GPUs that a run chooses by itself: the usable GPUs that give the same bits as the
// first usable GPU. Warns of the GPUs that are left out.
std::vector<GpuId> find_gpus_alike(const DeviceSurvey& survey);

inline constexpr std::string_view kPrecisionsOfTheCpu =
    "the CPU computes in fp32, in bf16 where it has AVX512_BF16, and shows the errors of int8 in "
    "int8-simulated";

// Checks that all of `gpus` compute in int8. Errors: kPrecision, naming the GPUs that do not, and
// what is possible instead.
void require_int8(const DeviceSurvey& survey, const std::vector<GpuId>& gpus);

// Says why a run with --device auto uses the CPU although there seems to be a GPU; else empty.
std::string why_not_on_gpu(const DeviceSurvey& survey);

}  // namespace virnucpro

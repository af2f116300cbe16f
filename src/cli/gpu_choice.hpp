#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/settings.hpp"
#include "tensor/device.hpp"

namespace virnucpro {

// What --device and --gpus say of GPUs, and which of those there are it means.

// "0", or "0,2": indices as CUDA counts them.
bool is_gpu_list(std::string_view text);
// "cuda", "cuda:all", "cuda:" and a list, or an index.
bool names_a_gpu(std::string_view device);
// Of such a name what find_gpus() takes: "all", a list, or nothing for "cuda".
std::string_view list_of(std::string_view device);

// The GPUs that a list or "all" names; without one, the first that this program can compute on.
// Errors: kDevice, naming what was asked for: none is there, or not this one, or it is too old;
// kUsage for one that is named twice.
std::vector<GpuId> find_gpus(const DeviceSurvey& survey, std::string_view asked_for,
                             std::string_view list);

// Those that a run may choose by itself: all that it can compute on which give the same bits as the
// first. Others are left out with a warning.
std::vector<GpuId> find_gpus_alike(const DeviceSurvey& survey);

// Why a run that may choose computes on the CPU, where that is worth a word: a GPU seems to be
// there, and cannot be used.
std::string why_not_on_gpu(const DeviceSurvey& survey);

}  // namespace virnucpro

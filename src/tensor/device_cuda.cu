// This file does not use fmt, because nvcc cannot evaluate fmt's check of format strings.
#include <cstdlib>
#include <future>
#include <string>

#include "tensor/cuda_error.hpp"
#include "tensor/device.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

static_assert(kCudaMemoryAllocation == cudaErrorMemoryAllocation);
static_assert(kCudaInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(kCudaDevicesUnavailable == cudaErrorDevicesUnavailable);
static_assert(kCudaNoDevice == cudaErrorNoDevice);

std::string error_text(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + " (" + cudaGetErrorString(status) + ")";
}

// Returns "MIG-…" for a part of a GPU (named like "NVIDIA H200 MIG 1g.18gb"), else "GPU-…".
std::string uuid_text(const cudaDeviceProp& properties) {
  constexpr char kDigits[] = "0123456789abcdef";
  const cudaUUID_t& uuid = properties.uuid;
  const bool is_part = std::string(properties.name).find(" MIG ") != std::string::npos;
  std::string text = is_part ? "MIG" : "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string pci_text(int index) {
  constexpr int kLength = 32;
  char text[kLength] = {};
  if (cudaDeviceGetPCIBusId(text, kLength, index) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'F') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

// Describes a device without opening it.
DeviceInfo describe(int index) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return {.index = index,
          .name = properties.name,
          .uuid = uuid_text(properties),
          .pci = pci_text(index),
          .compute_major = properties.major,
          .compute_minor = properties.minor,
          .memory_total = properties.totalGlobalMem,
          .memory_free = 0,
          .failure = {}};
}

// Reads the free memory in a new thread. In the caller's thread a second cudaSetDevice() would have
// to restore the current device, and would open that device.
void ask_memory(DeviceInfo& device) {
  const auto ask = [&device] {
    std::size_t free = 0;
    std::size_t total = 0;
    cudaError_t status = cudaSetDevice(device.index);
    if (status == cudaSuccess) status = cudaMemGetInfo(&free, &total);
    if (status != cudaSuccess) device.failure = error_text(status);
    cudaGetLastError();
    device.memory_free = free;
  };
  std::async(std::launch::async, ask).get();
}

}  // namespace

int cuda_built_in() {
  return CUDART_VERSION;
}

DeviceSurvey find_devices() {
  DeviceSurvey survey;
  survey.runtime = cuda_built_in();
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) survey.visible = visible;
  if (cudaDriverGetVersion(&survey.driver) != cudaSuccess) survey.driver = 0;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  survey.state = cuda_state(status, count, survey);
  if (status != cudaSuccess) survey.failure = error_text(status);
  cudaGetLastError();  // clears the error, so that the next call does not report it
  if (survey.state != CudaState::kReady) return survey;
  for (int index = 0; index < count; ++index) survey.devices.push_back(describe(index));
  return survey;
}

DeviceSurvey survey_devices() {
  DeviceSurvey survey = find_devices();
  for (DeviceInfo& device : survey.devices) ask_memory(device);
  return survey;
}

DeviceInfo survey_device(int index) {
  DeviceInfo device = describe(index);
  ask_memory(device);
  return device;
}

}  // namespace virnucpro

// No fmt in .cu files: nvcc cannot evaluate its check of format strings.
#include <string>

#include "tensor/cuda_error.hpp"
#include "tensor/device.hpp"

namespace virnucpro {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

// Leaves the calling thread on the device it was on.
class DeviceScope {
 public:
  explicit DeviceScope(int index) {
    check_cuda(cudaGetDevice(&previous_), "cudaGetDevice");
    check_cuda(cudaSetDevice(index), "cudaSetDevice");
  }
  ~DeviceScope() { cudaSetDevice(previous_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int previous_ = 0;
};

DeviceInfo describe(int index) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  const DeviceScope scope(index);
  std::size_t free = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return {.index = index,
          .name = properties.name,
          .uuid = uuid_text(properties.uuid),
          .compute_major = properties.major,
          .compute_minor = properties.minor,
          .memory_total = total,
          .memory_free = free};
}

}  // namespace

DeviceSurvey survey_devices() {
  DeviceSurvey survey;
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version != 0) {
    survey.driver = version_text(version);
  }
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();  // this answer is not a failure of the next call
    survey.why_none = cudaGetErrorString(status);
    return survey;
  }
  if (count == 0) survey.why_none = "the CUDA driver knows no device";
  for (int index = 0; index < count; ++index) survey.devices.push_back(describe(index));
  return survey;
}

}  // namespace virnucpro

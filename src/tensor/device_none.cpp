// The device functions of a build without CUDA. A build with CUDA compiles device_cuda.cu instead.
#include "base/error.hpp"
#include "tensor/device.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {

int cuda_built_in() {
  return 0;
}

DeviceSurvey find_devices() {
  return {};
}

DeviceSurvey survey_devices() {
  return {};
}

DeviceUse device_use() {
  return {};
}

DeviceInfo survey_device(int /*index*/) {
  throw Error(ErrorKind::kDevice, why_none({}));
}

}  // namespace virnucpro

// Devices of a build without CUDA; room.cmake takes device_cuda.cu instead where there is nvcc.
#include "tensor/device.hpp"

namespace virnucpro {

DeviceSurvey survey_devices() {
  return {.devices = {}, .driver = {}, .why_none = "this program was built without CUDA"};
}

}  // namespace virnucpro

#include "tensor/device.hpp"

namespace virnucpro {

std::vector<DeviceInfo> list_devices() {
  return survey_devices().devices;
}

}  // namespace virnucpro

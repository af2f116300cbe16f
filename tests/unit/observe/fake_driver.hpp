#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "base/directory.hpp"
#include "unit/variable.hpp"

namespace virnucpro {

// Sets the answers of fake_nvml.c while this object lives; fake_nvml.c describes the lines.
class FakeDriver {
 public:
  explicit FakeDriver(const std::string& script) { std::ofstream(path()) << script; }

  bool was_shut_down() const { return std::filesystem::exists(path().string() + ".shutdown"); }
  bool hangs() const { return std::filesystem::exists(path().string() + ".hang"); }

 private:
  std::filesystem::path path() const { return folder_.path() / "script"; }

  TemporaryFolder folder_;
  ScopedVariable variable_{"FAKE_NVML", path().string()};
};

// The answers of a GPU that measures everything, with constant values.
inline const char* const kWholeGpu =
    "driver version 580.65.06\n"
    "GPU-1 name Fake-GPU\n"
    "GPU-1 power_limit 700000\n"
    "GPU-1 utilization 97\n"
    "GPU-1 memory 1000/4000\n"
    "GPU-1 temperature 61\n"
    "GPU-1 power 312456\n"
    "GPU-1 sm_clock 1980\n"
    "GPU-1 throttle 12\n"
    "GPU-1 ecc 2\n";

}  // namespace virnucpro

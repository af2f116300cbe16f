#include "observe/nvml.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "unit/observe/fake_driver.hpp"

namespace virnucpro {
namespace {

using testing::HasSubstr;

// Reads one device of the fake.
GpuReading read(const Nvml& nvml, const std::string& uuid) {
  const FoundGpu found = nvml.find(uuid, "");
  EXPECT_EQ(found.failure, "");
  return nvml.read(found.device);
}

TEST(Nvml, TellsEverythingOfAGpu) {
  const FakeDriver driver(kWholeGpu);
  const Nvml nvml(VIRNUCPRO_FAKE_NVML);
  ASSERT_EQ(nvml.failure(), "");
  EXPECT_EQ(nvml.driver_version(), "580.65.06");
  const FoundGpu gpu = nvml.find("GPU-1", "");
  const GpuDescription description = nvml.describe(gpu.device);
  EXPECT_EQ(description.name, "Fake-GPU");
  EXPECT_EQ(description.power_limit_w, 700.0);
  const GpuReading reading = nvml.read(gpu.device);
  EXPECT_EQ(reading.failure, "");
  EXPECT_EQ(reading.utilization_percent, 97.0);
  EXPECT_EQ(reading.memory_used_bytes, 1000U);
  EXPECT_EQ(reading.memory_total, 4000U);
  EXPECT_EQ(reading.temperature_c, 61.0);
  EXPECT_EQ(reading.power_w, 312.456);
  EXPECT_EQ(reading.sm_clock_mhz, 1980.0);
  EXPECT_EQ(reading.throttle_reasons, 12U);
  EXPECT_EQ(reading.ecc_errors, 2U);
}

TEST(Nvml, LeavesEmptyWhatAPartOfAGpuDoesNotMeasure) {
  const FakeDriver driver("MIG-7 memory 5/20\n");
  const Nvml nvml(VIRNUCPRO_FAKE_NVML);
  const GpuReading reading = read(nvml, "MIG-7");
  EXPECT_EQ(reading.failure, "");
  EXPECT_EQ(reading.memory_used_bytes, 5U);
  EXPECT_FALSE(reading.utilization_percent);
  EXPECT_FALSE(reading.temperature_c);
  EXPECT_FALSE(reading.power_w);
  EXPECT_FALSE(reading.sm_clock_mhz);
  EXPECT_FALSE(reading.throttle_reasons);
  EXPECT_FALSE(reading.ecc_errors);
}

TEST(Nvml, LeavesEmptyWhatAnOldDriverHasNoFunctionFor) {
  const FakeDriver driver(kWholeGpu);
  const Nvml nvml(VIRNUCPRO_FAKE_OLD_NVML);
  const GpuReading reading = read(nvml, "GPU-1");
  EXPECT_EQ(reading.utilization_percent, 97.0);
  EXPECT_FALSE(reading.throttle_reasons);
  EXPECT_FALSE(reading.ecc_errors);
  EXPECT_EQ(nvml.find("0", "0000:3b:00.0").failure, "Some Other Error");
}

TEST(Nvml, SaysWhyADeviceSaysNothing) {
  const FakeDriver driver(
      "GPU-1 memory !15\n"
      "GPU-2 memory !3\n"
      "GPU-3 memory !15\n"
      "GPU-3 power 1000\n");
  const Nvml nvml(VIRNUCPRO_FAKE_NVML);
  EXPECT_EQ(read(nvml, "GPU-1").failure, "GPU is lost");
  EXPECT_EQ(read(nvml, "GPU-2").failure, "Not Supported");
  EXPECT_EQ(read(nvml, "GPU-3").failure, "");
  EXPECT_EQ(nvml.describe(nvml.find("GPU-1", "").device).name, "");
  EXPECT_EQ(nvml.driver_version(), "");
}

TEST(Nvml, FindsByPciAddressWhatHasNoUuid) {
  const FakeDriver driver(
      "GPU-1 memory 1/4\n"
      "PCI-0000:3b:00.0 memory 2/4\n");
  const Nvml nvml(VIRNUCPRO_FAKE_NVML);
  const std::string pci = "0000:3b:00.0";
  EXPECT_EQ(nvml.read(nvml.find("GPU-1", pci).device).memory_used_bytes, 1U);
  EXPECT_EQ(nvml.read(nvml.find("0", pci).device).memory_used_bytes, 2U);
  EXPECT_EQ(nvml.read(nvml.find("GPU-abc", pci).device).memory_used_bytes, 2U);
  EXPECT_EQ(nvml.find("0", "").failure, "Not Found");
  EXPECT_EQ(nvml.find("0", "0000:ff:00.0").failure, "Not Found");
}

TEST(Nvml, TakesNoWholeGpuForAPartOfIt) {
  const FakeDriver driver(
      "GPU-1 mig_mode 1\n"
      "GPU-2 mig_mode 0\n"
      "MIG-7 memory 2/4\n"
      "PCI-0000:3b:00.0 mig_mode 1\n");
  const Nvml nvml(VIRNUCPRO_FAKE_NVML);
  const std::string pci = "0000:3b:00.0";
  EXPECT_EQ(nvml.find("MIG-8", pci).failure, "Not Found");
  EXPECT_THAT(nvml.find("0", pci).failure, HasSubstr("divided into parts (MIG)"));
  EXPECT_THAT(nvml.find("GPU-1", "").failure, HasSubstr("divided into parts (MIG)"));
  EXPECT_EQ(nvml.find("GPU-1", "").device, nullptr);
  EXPECT_EQ(nvml.find("GPU-2", "").failure, "");
  EXPECT_EQ(nvml.find("MIG-7", pci).failure, "");
}

TEST(Nvml, EndsWithTheObject) {
  const FakeDriver driver(kWholeGpu);
  { const Nvml nvml(VIRNUCPRO_FAKE_NVML); }
  EXPECT_TRUE(driver.was_shut_down());
}

TEST(Nvml, SaysWhyItCannotBeUsed) {
  const FakeDriver driver("driver init !9\n");
  const Nvml missing("/nowhere/libnvidia-ml.so.1");
  EXPECT_THAT(missing.failure(), HasSubstr("/nowhere/libnvidia-ml.so.1"));
  EXPECT_EQ(missing.driver_version(), "");
  EXPECT_EQ(missing.find("GPU-1", "").failure, missing.failure());
  const Nvml other("libm.so.6");
  EXPECT_THAT(other.failure(), HasSubstr("libm.so.6 is not NVML"));
  const Nvml broken(VIRNUCPRO_FAKE_NVML);
  EXPECT_THAT(broken.failure(), HasSubstr("does not start: Some Other Error"));
  EXPECT_FALSE(driver.was_shut_down());
}

TEST(ThrottleNames, NamesEveryReason) {
  EXPECT_EQ(throttle_names(0), "none");
  EXPECT_EQ(throttle_names(0x4), "sw_power_cap");
  EXPECT_EQ(throttle_names(0x1ff),
            "gpu_idle|applications_clocks_setting|sw_power_cap|hw_slowdown|sync_boost|"
            "sw_thermal_slowdown|hw_thermal_slowdown|hw_power_brake_slowdown|"
            "display_clock_setting");
  EXPECT_EQ(throttle_names(0x1001), "gpu_idle|0x1000");
}

TEST(ThrottleNames, AreReadAgain) {
  for (const std::uint64_t bits : {0x0ULL, 0x4ULL, 0x1ffULL, 0x1001ULL, 0xffff'ffff'ffff'ffffULL}) {
    EXPECT_EQ(throttle_bits(throttle_names(bits)), bits);
  }
  EXPECT_EQ(throttle_bits(""), 0U);
  EXPECT_EQ(throttle_bits("hw_slowdown|<b>|0xx|0x1ffffffffffffffff"), 0x8U);
}

}  // namespace
}  // namespace virnucpro

// Only on a machine with a GPU: ctest -L gpu.
#include "tensor/device_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "tensor/cuda_error.hpp"
#include "tensor/device.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

TEST(DevicesOnGpu, AreListedWithMemoryAndCapability) {
  const std::vector<DeviceInfo> devices = survey_devices().devices;
  ASSERT_FALSE(devices.empty());
  for (const DeviceInfo& device : devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_FALSE(device.uuid.empty());
    EXPECT_GT(device.memory_total, 0U);
    EXPECT_LE(device.memory_free, device.memory_total);
  }
}

TEST(DeviceMemory, GivesBackWhatWasCopiedThere) {
  constexpr std::size_t kCount = 1U << 20U;
  constexpr std::size_t kBytes = kCount * sizeof(std::uint32_t);
  std::vector<std::uint32_t> values(kCount);
  std::iota(values.begin(), values.end(), 7U);
  const Stream stream;
  const PinnedBuffer there(kBytes);
  const PinnedBuffer back(kBytes);
  const DeviceBuffer device(Purpose::kScratch, kBytes);
  std::memcpy(there.data(), values.data(), kBytes);
  ASSERT_EQ(
      cudaMemcpyAsync(device.data(), there.data(), kBytes, cudaMemcpyHostToDevice, stream.get()),
      cudaSuccess);
  ASSERT_EQ(
      cudaMemcpyAsync(back.data(), device.data(), kBytes, cudaMemcpyDeviceToHost, stream.get()),
      cudaSuccess);
  stream.synchronize();
  EXPECT_EQ(std::memcmp(back.data(), values.data(), kBytes), 0);
}

TEST(DeviceMemory, IsCountedByPurposeUntilItIsGivenBack) {
  const auto used = [] { return device_allocator().use(Purpose::kActivations).current; };
  const std::uint64_t before = used();
  {
    const DeviceBuffer buffer(Purpose::kActivations, 4096);
    EXPECT_EQ(used(), before + 4096);
    DeviceBuffer other(Purpose::kActivations, 512);
    DeviceBuffer moved = std::move(other);
    EXPECT_EQ(used(), before + 4096 + 512);
  }
  EXPECT_EQ(used(), before);
}

TEST(DeviceMemory, IsAskedOfTheDriverOnce) {
  const DeviceBuffer first(Purpose::kActivations, 5U << 20U);
  { const DeviceBuffer again(Purpose::kActivations, 9U << 20U); }
  const std::uint64_t asked = device_allocator().asked();
  for (int batch = 0; batch < 10; ++batch) {
    const DeviceBuffer again(Purpose::kActivations, 9U << 20U);
  }
  EXPECT_EQ(device_allocator().asked(), asked);
}

TEST(DeviceMemory, SaysWhenThereIsTooLittleAndGoesOn) {
  EXPECT_EQ(thrown_kind([] { DeviceBuffer(Purpose::kWeights, std::size_t{1} << 50U); }),
            ErrorKind::kOutOfMemory);
  EXPECT_NO_THROW(DeviceBuffer(Purpose::kWeights, 4096));
}

TEST(Events, MeasureTimeOnTheStream) {
  const Stream stream;
  Event start;
  Event stop;
  const DeviceBuffer buffer(Purpose::kScratch, 64U << 20U);
  start.record(stream);
  ASSERT_EQ(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream.get()), cudaSuccess);
  stop.record(stream);
  stop.synchronize();
  EXPECT_GT(start.milliseconds_until(stop), 0.0F);
}

TEST(CudaErrors, TellALostContextFromTheRest) {
  EXPECT_EQ(kind_of(cudaErrorMemoryAllocation), ErrorKind::kOutOfMemory);
  for (const cudaError_t lost :
       {cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable, cudaErrorIllegalAddress,
        cudaErrorLaunchTimeout, cudaErrorAssert, cudaErrorHardwareStackError,
        cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace,
        cudaErrorInvalidPc, cudaErrorLaunchFailure, cudaErrorMpsClientTerminated,
        cudaErrorExternalDevice, cudaErrorUnknown}) {
    EXPECT_EQ(kind_of(lost), ErrorKind::kDeviceFailed);
  }
  for (const cudaError_t other : {cudaErrorInvalidValue, cudaErrorNoDevice,
                                  cudaErrorInsufficientDriver, cudaErrorInvalidConfiguration}) {
    EXPECT_EQ(kind_of(other), ErrorKind::kDevice);
  }
}

}  // namespace
}  // namespace virnucpro

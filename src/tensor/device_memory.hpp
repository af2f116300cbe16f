#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tensor/caching_allocator.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Resources of the calling thread's current CUDA device. All types are move-only. Destructors
// ignore errors, because they cannot report them. All other functions throw the errors of
// check_cuda() (tensor/cuda_error.hpp).

// A queue of device work. Its work runs in order, in parallel with the work of other streams.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;

  cudaStream_t get() const { return stream_; }
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

// A point in a stream's work, which a host thread can wait for.
class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  cudaEvent_t get() const { return event_; }
  void record(const Stream& stream);
  void synchronize() const;
  // Returns the device time from this event to `later`. The device must have reached both events.
  float milliseconds_until(const Event& later) const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Returns the allocator of the calling thread's current device.
CachingAllocator& device_allocator();

// Uninitialised device memory from device_allocator(), aligned to 256 bytes. Another buffer may
// reuse the memory right after the destructor, so all work on it must end before the destructor.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Purpose purpose, std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void reset() noexcept;

  CachingAllocator* allocator_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Page-locked host memory. Copies from it to a device can overlap with kernels.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t bytes);
  ~PinnedBuffer();
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace virnucpro

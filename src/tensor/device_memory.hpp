#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tensor/caching_allocator.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Resources of the calling thread's current CUDA device. All are move-only. The destructors release
// them and ignore errors, which they could not report. Errors of constructors and calls:
// kOutOfMemory, kDevice (tensor/cuda_error.hpp).

// A queue of work, which runs in order, and in parallel with other streams.
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

// A point in a stream's work.
class Event {
 public:
  Event();
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  cudaEvent_t get() const { return event_; }
  void record(const Stream& stream);
  void synchronize() const;
  // Returns device time in milliseconds from this event to `later`; both must be reached.
  float milliseconds_until(const Event& later) const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Returns the allocator of the calling thread's current device.
CachingAllocator& device_allocator();

// Uninitialised device memory of device_allocator(), aligned to 256 bytes. The destructor lets
// others reuse the memory at once, so all work that uses it must have ended before.
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

// Page-locked host memory; copies from it to a device can overlap with kernels.
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

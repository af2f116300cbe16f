#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Resources of the calling thread's current CUDA device. All are move-only and give back what they
// hold at the end of their life; what fails then cannot be reported and is ignored.
// Errors of constructors and calls: kOutOfMemory, kDevice (tensor/cuda_error.hpp).

// Work on a stream runs in order, and beside that of other streams.
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

  void record(const Stream& stream);
  void synchronize() const;
  // Milliseconds of device time from this event to `later`; both must have been reached.
  float milliseconds_until(const Event& later) const;

 private:
  cudaEvent_t event_ = nullptr;
};

// Uninitialised device memory, counted by purpose as host memory is.
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

  Purpose purpose_ = Purpose::kScratch;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Page-locked host memory, which copies to a device overlap with kernels.
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

// Bytes of device buffers alive in this process for one purpose, all devices together.
std::uint64_t device_bytes(Purpose purpose);

}  // namespace virnucpro

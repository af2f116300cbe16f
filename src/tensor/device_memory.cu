// No fmt in .cu files: nvcc cannot evaluate its check of format strings.
#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "tensor/cuda_error.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro {
namespace {

std::atomic<std::uint64_t>& use_of(Purpose purpose) {
  static std::array<std::atomic<std::uint64_t>, kPurposes> uses{};
  return uses.at(static_cast<std::size_t>(purpose));
}

}  // namespace

void check_cuda(cudaError_t status, const char* call, std::source_location where) {
  if (status == cudaSuccess) return;
  const ErrorKind kind =
      status == cudaErrorMemoryAllocation ? ErrorKind::kOutOfMemory : ErrorKind::kDevice;
  throw Error(kind, std::string(call) + ": " + cudaGetErrorName(status) + " (" +
                        cudaGetErrorString(status) + "), at " + where.file_name() + ":" +
                        std::to_string(where.line()));
}

Stream::Stream() {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

Stream::~Stream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(stream_, other.stream_);
  return *this;
}

void Stream::synchronize() const {
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

Event::Event() {
  check_cuda(cudaEventCreate(&event_), "cudaEventCreate");
}

Event::~Event() {
  if (event_ != nullptr) cudaEventDestroy(event_);
}

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}

void Event::record(const Stream& stream) {
  check_cuda(cudaEventRecord(event_, stream.get()), "cudaEventRecord");
}

void Event::synchronize() const {
  check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
}

float Event::milliseconds_until(const Event& later) const {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, event_, later.event_), "cudaEventElapsedTime");
  return milliseconds;
}

DeviceBuffer::DeviceBuffer(Purpose purpose, std::size_t bytes) : purpose_(purpose), bytes_(bytes) {
  if (bytes == 0) return;
  if (const cudaError_t status = cudaMalloc(&data_, bytes); status != cudaSuccess) {
    cudaGetLastError();  // running out of memory leaves the context usable
    const auto call =
        "cudaMalloc of " + std::to_string(bytes) + " bytes for " + std::string(name_of(purpose));
    check_cuda(status, call.c_str());
  }
  use_of(purpose).fetch_add(bytes, std::memory_order_relaxed);
}

DeviceBuffer::~DeviceBuffer() {
  reset();
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : purpose_(other.purpose_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  purpose_ = other.purpose_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void DeviceBuffer::reset() noexcept {
  if (data_ == nullptr) return;
  cudaFree(data_);
  use_of(purpose_).fetch_sub(bytes_, std::memory_order_relaxed);
  data_ = nullptr;
  bytes_ = 0;
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const auto call = "cudaMallocHost of " + std::to_string(bytes) + " bytes for staging";
  check_cuda(cudaMallocHost(&data_, bytes), call.c_str());
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ != nullptr) cudaFreeHost(data_);
}

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::uint64_t device_bytes(Purpose purpose) {
  return use_of(purpose).load(std::memory_order_relaxed);
}

}  // namespace virnucpro

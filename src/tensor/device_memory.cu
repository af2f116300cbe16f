// This file does not use fmt, because nvcc cannot evaluate fmt's check of format strings.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "tensor/cuda_error.hpp"
#include "tensor/device.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro {
namespace {

// Calls cudaMalloc; returns null if the device is out of memory.
void* allocate_on_device(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error; the CUDA context stays usable
    return nullptr;
  }
  check_cuda(status, "cudaMalloc");
  return memory;
}

}  // namespace

ErrorKind kind_of(cudaError_t status) {
  if (status == cudaErrorMemoryAllocation) return ErrorKind::kOutOfMemory;
  // CUDA's documentation says that the process must end after most of these errors. After hardware
  // errors and unknown errors no result can be trusted. The list has numbers, because older
  // toolkits do not name all errors.
  constexpr int kLost[] = {
      214,  // ECCUncorrectable
      220,  // NvlinkUncorrectable
      226,  // Contained
      700,  // IllegalAddress
      702,  // LaunchTimeout
      710,  // Assert
      714,  // HardwareStackError
      715,  // IllegalInstruction
      716,  // MisalignedAddress
      717,  // InvalidAddressSpace
      718,  // InvalidPc
      719,  // LaunchFailure
      721,  // TensorMemoryLeak
      810,  // MpsClientTerminated
      911,  // ExternalDevice
      999,  // Unknown
  };
  const bool lost =
      std::find(std::begin(kLost), std::end(kLost), static_cast<int>(status)) != std::end(kLost);
  return lost ? ErrorKind::kDeviceFailed : ErrorKind::kDevice;
}

void check_cuda(cudaError_t status, const char* call, std::source_location where) {
  if (status == cudaSuccess) return;
  throw Error(kind_of(status), std::string(call) + ": " + cudaGetErrorName(status) + " (" +
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
  // Makes a waiting thread sleep, so that other threads can use its core for reading and packing.
  check_cuda(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync), "cudaEventCreateWithFlags");
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

// The allocators are never destroyed, because cudaFree must not run after the driver's shutdown.
CachingAllocator& device_allocator() {
  static auto& allocators = *new std::map<int, CachingAllocator>;
  static std::mutex mutex;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  return allocators
      .try_emplace(device, MemorySource{.allocate = allocate_on_device,
                                        .release = [](void* memory) { cudaFree(memory); }})
      .first->second;
}

DeviceUse device_use() {
  const CachingAllocator& allocator = device_allocator();
  DeviceUse use{.kept = allocator.kept()};
  for (std::size_t k = 0; k < kPurposes; ++k) {
    use.by_purpose[k] = allocator.use(static_cast<Purpose>(k));
  }
  return use;
}

DeviceBuffer::DeviceBuffer(Purpose purpose, std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  allocator_ = &device_allocator();
  data_ = allocator_->allocate(purpose, bytes);
}

DeviceBuffer::~DeviceBuffer() {
  reset();
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : allocator_(other.allocator_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this == &other) return *this;
  reset();
  allocator_ = other.allocator_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void DeviceBuffer::reset() noexcept {
  if (data_ == nullptr) return;
  allocator_->give_back(data_);
  data_ = nullptr;
  bytes_ = 0;
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const cudaError_t status = cudaMallocHost(&data_, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error; the CUDA context stays usable
    throw Error(ErrorKind::kOutOfMemory, "could not allocate " + std::to_string(bytes) +
                                             " bytes of page-locked host memory for copies");
  }
  check_cuda(status, "cudaMallocHost");
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

}  // namespace virnucpro

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/device_memory.hpp"

namespace virnucpro::cuda {

// Weights that stay in pinned memory of the host, for a model that does not fit into the device's
// memory. A few device buffers hold some of them: while one weight is used, the next ones are
// copied. A batch uses the weights in the order in which they were added; another order is slower.
class StreamedWeights {
 public:
  StreamedWeights() = default;
  // Waits for the copies that are under way, because the buffers are freed.
  ~StreamedWeights();
  StreamedWeights(const StreamedWeights&) = delete;
  StreamedWeights& operator=(const StreamedWeights&) = delete;

  // Adds a weight and returns its number. Add all weights before the first use. Errors:
  // kOutOfMemory.
  std::size_t add(std::size_t bytes);
  // Returns the weight's memory on the host. Fill it before the first use.
  void* host(std::size_t number) const { return weights_.at(number).data(); }
  // Makes the device buffers. Errors: kOutOfMemory.
  void reserve();

  // Returns the weight on the device. Only work enqueued on `compute` before used() may read it.
  const void* get(std::size_t number, cudaStream_t compute);
  void used(cudaStream_t compute);

 private:
  struct Slot {
    DeviceBuffer device;
    std::optional<std::size_t> number{};  // the weight in `device`, or being copied to it
    Event copied;
    Event used;
  };

  Slot& slot(std::size_t ahead) { return slots_.at((turn_ + ahead) % slots_.size()); }
  void copy(std::size_t number, Slot& to);

  std::vector<PinnedBuffer> weights_;
  std::array<Slot, 3> slots_;
  std::size_t turn_ = 0;  // calls of used() so far; the next get() returns slot(0)
  Stream copies_;
};

}  // namespace virnucpro::cuda

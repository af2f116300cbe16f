#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "tensor/matrix.hpp"
#include "weights/weights.hpp"

namespace virnucpro::cuda {

// A list of tensors. run() reads them, copies them to the device and stores them there.
class Uploads {
 public:
  // Enqueues work that stores a tensor. `values` are device memory, valid until that work ends.
  using Store = std::function<void(const float* values, cudaStream_t stream)>;
  void add(const Weights& weights, const std::string& name, const Shape& shape, Store store);
  // Adds a tensor that is converted and stored in `to`, on the device. `to` must have as many
  // numbers as `shape` and may be part of a larger matrix.
  void add(const Weights& weights, const std::string& name, const Shape& shape,
           const DeviceMatrix& to);

  // Copies all tensors with `threads` threads, each with a pinned buffer, and waits for the copies.
  // Errors: those of Weights::read() and of Cancel, kOutOfMemory, kDevice.
  void run(std::size_t threads, const Cancel& cancel);

 private:
  struct Item {
    const Weights* weights;
    std::string name;
    Shape shape;
    Store store;
  };

  std::vector<Item> items_;
};

// Copies numbers from the host to device memory and waits for the copy.
void upload(std::span<const float> values, void* to);

// Waits for the work on the default stream, because the other streams do not wait for it.
void wait_for_default_stream();

}  // namespace virnucpro::cuda

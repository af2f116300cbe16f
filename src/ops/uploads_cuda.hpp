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

// The tensors to read, to copy to the device and to store there.
class Uploads {
 public:
  // Enqueues work that stores a tensor. `values` stay on the device until the stream is done.
  using Store = std::function<void(const float* values, cudaStream_t stream)>;
  void add(const Weights& weights, const std::string& name, const Shape& shape, Store store);
  // Adds a tensor to convert and store in `to`, which is on the device, has as many numbers as
  // `shape`, and may be part of a larger matrix.
  void add(const Weights& weights, const std::string& name, const Shape& shape,
           const DeviceMatrix& to);

  // Copies all tensors with `threads` threads, each with a pinned buffer. On return everything is
  // on the device. Errors: those of Weights::read, kOutOfMemory, kDevice, those of Cancel.
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

// Copies numbers from the host and waits for the copy.
void upload(std::span<const float> values, void* to);

// Call this after using the default stream: this program's streams do not wait for it.
void wait_for_default_stream();

}  // namespace virnucpro::cuda

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "tensor/matrix.hpp"
#include "weights/weights.hpp"

namespace virnucpro::cuda {

// Tensors that are to be read, sent to the device and converted there.
class Uploads {
 public:
  // `to` is the device's, of as many numbers as `shape`, which may lie inside a larger matrix.
  void add(const Weights& weights, const std::string& name, const Shape& shape,
           const DeviceMatrix& to);

  // Does it, several tensors at a time, in `threads` threads with a pinned buffer each; in the end
  // everything is on the device. Errors: those of Weights::read, kOutOfMemory, kDevice, the
  // cancellation's.
  void run(std::size_t threads, const Cancel& cancel);

 private:
  struct Item {
    const Weights* weights;
    std::string name;
    Shape shape;
    DeviceMatrix to;
  };

  std::vector<Item> items_;
};

// Copies numbers from the host and waits for it.
void upload(std::span<const float> values, void* to);

// Streams of this program do not wait for the default stream: who used it does, before they begin.
void wait_for_default_stream();

}  // namespace virnucpro::cuda

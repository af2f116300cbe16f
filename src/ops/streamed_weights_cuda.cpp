#include "ops/streamed_weights_cuda.hpp"

#include <algorithm>

#include "tensor/cuda_error.hpp"

namespace virnucpro::cuda {

StreamedWeights::~StreamedWeights() {
  cudaStreamSynchronize(copies_.get());
}

std::size_t StreamedWeights::add(std::size_t bytes) {
  weights_.emplace_back(bytes);
  return weights_.size() - 1;
}

void StreamedWeights::reserve() {
  const auto largest = std::ranges::max_element(weights_, {}, &PinnedBuffer::bytes);
  for (Slot& slot : slots_) slot.device = DeviceBuffer(Purpose::kWeights, largest->bytes());
}

void StreamedWeights::copy(std::size_t number, Slot& to) {
  const PinnedBuffer& from = weights_.at(number);
  check_cuda(cudaStreamWaitEvent(copies_.get(), to.used.get()), "cudaStreamWaitEvent");
  check_cuda(cudaMemcpyAsync(to.device.data(), from.data(), from.bytes(), cudaMemcpyHostToDevice,
                             copies_.get()),
             "cudaMemcpyAsync");
  to.copied.record(copies_);
  to.number = number;
}

const void* StreamedWeights::get(std::size_t number, cudaStream_t compute) {
  for (std::size_t ahead = 0; ahead < slots_.size(); ++ahead) {
    const std::size_t next = (number + ahead) % weights_.size();
    if (slot(ahead).number != next) copy(next, slot(ahead));
  }
  check_cuda(cudaStreamWaitEvent(compute, slot(0).copied.get()), "cudaStreamWaitEvent");
  return slot(0).device.data();
}

void StreamedWeights::used(cudaStream_t compute) {
  check_cuda(cudaEventRecord(slot(0).used.get(), compute), "cudaEventRecord");
  slot(0).number.reset();
  ++turn_;
}

}  // namespace virnucpro::cuda

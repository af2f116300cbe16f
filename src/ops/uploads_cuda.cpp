#include "ops/uploads_cuda.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "ops/row_ops_cuda.hpp"
#include "tensor/cuda_error.hpp"
#include "tensor/device_memory.hpp"

namespace virnucpro::cuda {
namespace {

std::size_t numbers_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

// One thread's buffers. send() reads a tensor as fp32, copies it to the device and calls `store`.
class Lane {
 public:
  explicit Lane(std::size_t most)
      : pinned_(most * sizeof(float)), device_(Purpose::kStaging, most * sizeof(float)) {}

  void send(const Weights& weights, const std::string& name, const Shape& shape,
            const Uploads::Store& store) {
    const std::size_t count = numbers_of(shape);
    auto* const values = static_cast<float*>(pinned_.data());
    weights.read(name, shape, std::span{values, count});
    check_cuda(cudaMemcpyAsync(device_.data(), values, count * sizeof(float),
                               cudaMemcpyHostToDevice, stream_.get()),
               "cudaMemcpyAsync");
    store(static_cast<const float*>(device_.data()), stream_.get());
    stream_.synchronize();
  }

 private:
  Stream stream_;
  PinnedBuffer pinned_;
  DeviceBuffer device_;
};

}  // namespace

void Uploads::add(const Weights& weights, const std::string& name, const Shape& shape,
                  Store store) {
  items_.push_back({&weights, name, shape, std::move(store)});
}

void Uploads::add(const Weights& weights, const std::string& name, const Shape& shape,
                  const DeviceMatrix& to) {
  add(weights, name, shape,
      [to](const float* values, cudaStream_t stream) { convert(values, to, stream); });
}

void Uploads::run(std::size_t threads, const Cancel& cancel) {
  if (items_.empty()) return;
  // The largest tensors are first, so that all threads end at about the same time.
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return numbers_of(a.shape) > numbers_of(b.shape);
  });
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const std::size_t most = numbers_of(items_.front().shape);
  ThreadPool pool(std::min(threads, items_.size()));
  std::vector<std::optional<Lane>> lanes(pool.size());
  pool.parallel_for(items_.size(), [&](std::size_t index, std::size_t thread) {
    cancel.check();
    check_cuda(cudaSetDevice(device), "cudaSetDevice");
    if (!lanes[thread]) lanes[thread].emplace(most);
    const Item& item = items_[index];
    lanes[thread]->send(*item.weights, item.name, item.shape, item.store);
  });
  items_.clear();
}

void upload(std::span<const float> values, void* to) {
  check_cuda(cudaMemcpy(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
             "cudaMemcpy");
  wait_for_default_stream();
}

void wait_for_default_stream() {
  check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

}  // namespace virnucpro::cuda

#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/error.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

inline dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// What one thread needs to call oneDNN. Making it sets the thread's OpenMP team to one: our pool is
// what spreads work, and a team's size would change bits.
class OnednnThread {
 public:
  static OnednnThread& here();

  dnnl::stream& stream() { return stream_; }
  // At least `bytes`, uninitialised, good until the next call. oneDNN's own scratchpad may not be
  // used: one primitive run by two threads at once then gives wrong sums (2.6.3).
  void* scratchpad(std::size_t bytes) { return grown(scratchpad_, bytes); }
  void* input(std::size_t bytes) { return grown(input_, bytes); }

 private:
  OnednnThread();
  static void* grown(HostBuffer& buffer, std::size_t bytes);

  dnnl::stream stream_;
  HostBuffer scratchpad_;
  HostBuffer input_;
};

// Calls oneDNN, its exceptions turned into Error(kOutOfMemory | kInternal).
template <typename Call>
auto with_onednn(const Call& call) {
  try {
    return call(OnednnThread::here());
  } catch (const dnnl::error& error) {
    const bool memory = error.status == dnnl_out_of_memory;
    throw Error(memory ? ErrorKind::kOutOfMemory : ErrorKind::kInternal,
                fmt::format("oneDNN: {}", error.what()));
  }
}

}  // namespace virnucpro

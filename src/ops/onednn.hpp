#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/error.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Returns oneDNN's CPU engine. Of oneDNN's variables, only ONEDNN_MAX_CPU_ISA has an effect.
dnnl::engine& cpu_engine();

// Call this before oneDNN makes code for a primitive, which takes a few MiB: oneDNN does not check
// its allocations and would crash. Errors: kOutOfMemory.
void require_room_for_onednn();

// Everything that one thread needs to call oneDNN. It sets the thread's OpenMP team to one, because
// our pool distributes the work and the team's size would change bits.
class OnednnThread {
 public:
  static OnednnThread& here();

  dnnl::stream& stream() { return stream_; }
  // Returns at least `bytes` of uninitialised memory, valid until the next call. Two threads with
  // one primitive must not use oneDNN's own scratchpad: sums would be wrong (2.6.3).
  void* scratchpad(std::size_t bytes) { return grown(scratchpad_, bytes); }
  void* input(std::size_t bytes) { return grown(input_, bytes); }

 private:
  OnednnThread();
  static void* grown(HostBuffer& buffer, std::size_t bytes);

  dnnl::stream stream_;
  HostBuffer scratchpad_;
  HostBuffer input_;
};

// Calls oneDNN and turns its exceptions into Error(kOutOfMemory | kInternal).
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

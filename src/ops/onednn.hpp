#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/error.hpp"
#include "tensor/host_buffer.hpp"

namespace virnucpro {

// Returns oneDNN's CPU engine. Of oneDNN's environment variables, it obeys only ONEDNN_MAX_CPU_ISA.
dnnl::engine& cpu_engine();

// True if oneDNN may use this instruction set. Newer sets include the bits of older sets.
inline bool has_isa(dnnl_cpu_isa_t isa) {
  return (static_cast<unsigned>(dnnl_get_effective_cpu_isa()) & static_cast<unsigned>(isa)) ==
         static_cast<unsigned>(isa);
}

// Checks that 32 MiB of memory are free. Call this before oneDNN makes code for a primitive,
// because oneDNN does not check its allocations and would crash. Errors: kOutOfMemory.
void require_room_for_onednn();

// The oneDNN stream and scratchpad of one thread. Limits OpenMP to this one thread, because our
// pool distributes the work and more OpenMP threads would change bits.
class OnednnThread {
 public:
  static OnednnThread& here();

  dnnl::stream& stream() { return stream_; }
  // Returns at least `bytes` of uninitialised memory, valid until the next call. Replaces oneDNN
  // 2.6.3's own scratchpad, which gives wrong sums if two threads use the same primitive.
  void* scratchpad(std::size_t bytes) { return grown(scratchpad_, bytes); }

 private:
  OnednnThread();
  static void* grown(HostBuffer& buffer, std::size_t bytes);

  dnnl::stream stream_;
  HostBuffer scratchpad_;
};

// Runs `call`, which uses oneDNN. Errors: kOutOfMemory or kInternal, for oneDNN's exceptions.
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

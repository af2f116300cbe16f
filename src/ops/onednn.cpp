#include "ops/onednn.hpp"

#include <omp.h>

#include "base/host.hpp"

namespace virnucpro {
namespace {

// oneDNN compiles its kernels at run time. This many bytes of memory must be free before that: they
// are enough for several threads that compile at the same time.
constexpr std::size_t kRoom = 32U << 20U;

dnnl::stream make_stream() {
  require_room_for_onednn();
  return dnnl::stream(cpu_engine());
}

dnnl::engine make_engine() {
  dnnl_set_verbose(0);  // verbose output would go to stdout
  dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints);
  return {dnnl::engine::kind::cpu, 0};
}

}  // namespace

dnnl::engine& cpu_engine() {
  static dnnl::engine engine = make_engine();
  return engine;
}

void require_room_for_onednn() {
  if (has_room(kRoom)) return;
  throw Error(ErrorKind::kOutOfMemory, "the library oneDNN needs 32 MiB of free memory");
}

OnednnThread::OnednnThread() : stream_(make_stream()) {
  omp_set_num_threads(1);
}

OnednnThread& OnednnThread::here() {
  thread_local OnednnThread thread;
  return thread;
}

void* OnednnThread::grown(HostBuffer& buffer, std::size_t bytes) {
  if (buffer.bytes() < bytes) buffer = HostBuffer(Purpose::kScratch, bytes);
  return buffer.data();
}

}  // namespace virnucpro

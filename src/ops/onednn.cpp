#include "ops/onednn.hpp"

#include <omp.h>

namespace virnucpro {

OnednnThread::OnednnThread() : stream_(cpu_engine()) {
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

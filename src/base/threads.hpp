#pragma once

#include <fmt/format.h>
#include <pthread.h>

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// Names the calling thread, for top, debuggers and traces; at most 15 letters.
inline void name_thread(const char* name) {
  ::pthread_setname_np(::pthread_self(), name);
}

// Starts threads until `threads` holds `count`; each calls run(its index). If the system refuses a
// thread, calls stop(), which must end and join the started ones. Errors: kOutOfMemory.
template <typename Run, typename Stop>
void start_threads(std::vector<std::thread>& threads, std::size_t count, const Run& run,
                   const Stop& stop) {
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(run, threads.size());
  } catch (const std::system_error& error) {
    const std::size_t started = threads.size();
    stop();
    throw Error(ErrorKind::kOutOfMemory, fmt::format("{} of {} threads could be started: {}",
                                                     started, count, error.code().message()));
  }
}

}  // namespace virnucpro

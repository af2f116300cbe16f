#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"

namespace virnucpro {

// Names the calling thread, for top, debuggers and traces; at most 15 letters.
void name_thread(const char* name);

// Starts threads until `threads` holds `count`, each with run(its index). Where the system gives no
// more of them, stop() must end and join those that run. Errors: kOutOfMemory.
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

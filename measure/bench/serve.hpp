#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace virnucpro::bench {

// Returns the resources used by this process, or by its children that have ended.
inline rusage usage_of(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage;
}

// Returns the processor seconds of `who` (see usage_of()), user and system time together.
inline double cpu_seconds(int who = RUSAGE_SELF) {
  const rusage usage = usage_of(who);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Runs passes on request. A driver (bench/session.py) sends lines to the measured program, so that
// several programs stay loaded and take turns. Once loaded, the program writes {"ready": settings}.
// For each line, it does one pass, and answers with the pass's wall and processor seconds as JSON.
// `pass` returns the amount of its work; `seconds` is the time that loading took.
inline void serve(const std::function<std::size_t()>& pass, const std::string& settings,
                  double seconds = 0) {
  std::cout << fmt::format(R"({{"ready": "{}", "seconds": {:.3f}}})", settings, seconds)
            << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const double cpu = cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    const std::size_t work = pass();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::cout << fmt::format(R"({{"wall": {:.6f}, "cpu": {:.6f}, "work": {}}})", wall.count(),
                             cpu_seconds() - cpu, work)
              << std::endl;
  }
}

// The main() of all benchmarks: passes the arguments of the command line to `measure`.
inline int run_program(int argc, char** argv,
                       const std::function<void(const std::vector<std::string>&)>& measure) {
  try {
    measure({argv, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace virnucpro::bench

#pragma once

#include <dlfcn.h>

#include <cstdint>

#include "observe/cupti_records.hpp"

namespace virnucpro {

// The activity of a GPU, which fake_cupti.c reports.
class FakeGpu {
 public:
  explicit FakeGpu(std::uint32_t refused_kind = 0) {
    function<void (*)(int)>("fake_reset")(static_cast<int>(refused_kind));
  }

  using Activity = void (*)(const char*, std::uint32_t, std::uint64_t, std::uint64_t);

  void kernel(const char* name, std::uint32_t stream, std::uint64_t begin, std::uint64_t end) {
    function<Activity>("fake_kernel")(name, stream, begin, end);
  }
  void hasty_kernel(const char* name, std::uint32_t stream, std::uint64_t begin,
                    std::uint64_t end) {
    function<Activity>("fake_hasty_kernel")(name, stream, begin, end);
  }
  void copy(std::uint32_t kind, std::uint32_t stream, std::uint64_t begin, std::uint64_t end) {
    using Copy = void (*)(std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t);
    function<Copy>("fake_copy")(kind, stream, begin, end);
  }
  void memset(std::uint32_t stream, std::uint64_t begin, std::uint64_t end) {
    using Set = void (*)(std::uint32_t, std::uint64_t, std::uint64_t);
    function<Set>("fake_memset")(stream, begin, end);
  }
  void overhead(std::uint64_t begin, std::uint64_t end) {
    function<void (*)(std::uint64_t, std::uint64_t)>("fake_overhead")(begin, end);
  }
  std::uint64_t clock() { return function<std::uint64_t (*)()>("fake_clock")(); }
  int enabled_kinds() { return function<int (*)()>("fake_enabled")(); }

 private:
  template <typename Function>
  Function function(const char* name) {
    return reinterpret_cast<Function>(::dlsym(library_, name));
  }

  // The program opens the same library. It is loaded only once, so both use the same state.
  void* library_ = ::dlopen(VIRNUCPRO_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);
};

}  // namespace virnucpro

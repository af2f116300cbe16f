#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace virnucpro {

// Does the work and returns the most bytes by which this process's resident memory grew, including
// what the work leaves behind. Empty where the kernel does not report it. Errors: the work's.
std::optional<std::uint64_t> peak_memory_of(const std::function<void()>& work);

}  // namespace virnucpro

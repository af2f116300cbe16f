#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace virnucpro {

// Does the work, and gives by how many bytes at most this process's resident memory grew meanwhile;
// what the work leaves behind counts. Empty where the kernel does not tell. Errors: the work's.
std::optional<std::uint64_t> peak_memory_of(const std::function<void()>& work);

}  // namespace virnucpro

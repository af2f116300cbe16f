#include "unit/library/memory.hpp"

#include <cstdlib>
#include <new>

thread_local bool virnucpro::no_memory = false;

void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return virnucpro::no_memory ? nullptr : std::malloc(size);
}
void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);  // NOLINT(cppcoreguidelines-owning-memory)
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);  // NOLINT(cppcoreguidelines-owning-memory)
}

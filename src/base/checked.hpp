#pragma once

#include <concepts>
#include <optional>
#include <utility>

namespace virnucpro {

// These functions calculate with sizes from a file. A result that does not fit its type is empty.
template <std::unsigned_integral T>
std::optional<T> checked_add(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

template <std::unsigned_integral T>
std::optional<T> checked_mul(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// True if [offset, offset + size) lies in [0, total).
template <std::unsigned_integral T>
bool range_within(T offset, T size, T total) {
  return offset <= total && size <= total - offset;
}

template <std::integral To, std::integral From>
std::optional<To> narrow(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

}  // namespace virnucpro

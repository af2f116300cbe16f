#include <span>

#include "fuzz/target.hpp"
#include "weights/pickle_reader.hpp"

using virnucpro::fuzz::may_refuse;

// Any bytes are accepted, or refused with a typed error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  may_refuse([&] { virnucpro::read_pickle(std::as_bytes(std::span(data, size)), "fuzz"); });
  return 0;
}

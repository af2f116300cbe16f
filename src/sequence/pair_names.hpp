#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace virnucpro {

// Checks that two reads are mates: their names must be equal, or end in /1 and /2, .1 .2, _1 _2, :1
// :2, _R1 _R2 or _F _R. The first pair decides which of these endings all pairs of the input must
// have, because some names fit two of them. If the second word of Illumina's headers
// ("1:N:0:ATCACG") numbers the mates, number 1 must come first.
class PairNames {
 public:
  // Returns the name that both mates share, without the endings. Errors: kInputMalformed at
  // `second`, the place of the second mate.
  std::string shared(std::string_view first_header, std::string_view second_header,
                     std::string_view first_file, const Place& second);

 private:
  std::optional<std::size_t> convention_;  // index of the first pair's endings
};

}  // namespace virnucpro

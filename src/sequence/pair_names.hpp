#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace virnucpro {

// Checks that two reads are mates. Their names must be equal, or end in /1 and /2, .1 and .2, _1
// and _2, :1 and :2, _R1 and _R2, or _F and _R. All pairs of an input must follow the first pair:
// if the names of the first pair are equal, then s_1 and s_2 are two different reads. If the second
// word of Illumina's headers ("1:N:0:ATCACG") numbers the mates, number 1 must come first.
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

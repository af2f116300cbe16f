#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace virnucpro {

// How mates are named. Their names are equal, or end in /1 and /2, .1 .2, _1 _2, :1 :2, _R1 _R2 or
// _F _R; the first pair of an input decides for all of it. Illumina's second word of a header
// ("1:N:0:ATCACG") says which read of a pair it is: there the first must come first.
class PairNames {
 public:
  // The name that both have but for its end. Errors: kInputMalformed at `second`, the place of the
  // second mate.
  std::string shared(std::string_view first_header, std::string_view second_header,
                     std::string_view first_file, const Place& second);

 private:
  std::optional<std::size_t> convention_;  // the first pair's
};

}  // namespace virnucpro

#include "validate/suites.hpp"

#include <utility>

namespace virnucpro {

Verdict skipped_verdict(Verdict verdict, std::string why) {
  verdict.status = VerdictStatus::kSkipped;
  verdict.value.reset();
  verdict.detail = std::move(why);
  return verdict;
}

}  // namespace virnucpro

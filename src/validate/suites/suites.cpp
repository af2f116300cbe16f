#include "validate/suites/suites.hpp"

#include <fmt/format.h>

#include <utility>

#include "tensor/host_buffer.hpp"

namespace virnucpro {

Verdict skipped_verdict(Verdict verdict, std::string why) {
  verdict.status = VerdictStatus::kSkipped;
  verdict.value.reset();
  verdict.detail = std::move(why);
  return verdict;
}

Verdict judged(Verdict verdict, double value, double bar) {
  verdict.value = value;
  verdict.status = value >= bar ? VerdictStatus::kPass : VerdictStatus::kMiss;
  return verdict;
}

Verdict judged_at_most(Verdict verdict, double value, double bar, VerdictStatus beyond) {
  verdict.value = value;
  verdict.status = value <= bar ? VerdictStatus::kPass : beyond;
  return verdict;
}

double profiled_memory(const JsonValues& profile, const char* figure) {
  double bytes = 0;
  for (std::size_t k = 0; k < kPurposes; ++k) {
    const std::string path = fmt::format("memory/{}/{}", name_of(static_cast<Purpose>(k)), figure);
    bytes += profile.number(path).value_or(0);
  }
  return bytes;
}

}  // namespace virnucpro

#include "observe/counters.hpp"

#include <string_view>

namespace virnucpro {

std::uint64_t ShadowCounters::sampled() const noexcept {
  std::uint64_t sum = 0;
  for (const Stratum& stratum : strata) sum += stratum.sampled.get();
  return sum;
}

void RunCounters::reset() {
  const auto reset_counter = [](std::string_view, Counter& counter) { counter.reset(); };
  for_each_field(*this, reset_counter);
  for_each_field(close_calls, reset_counter);
  for (ShadowCounters::Stratum& stratum : shadow.strata) for_each_field(stratum, reset_counter);
  shadow.esm_tokens.reset();
  shadow.logits.reset();
  shadow.embeddings.reset();
  for (TimeCounter* time : {&host.read, &host.translate, &host.journal, &host.tables}) {
    time->reset();
  }
  pipeline.reset();
}

}  // namespace virnucpro

#include "observe/counters.hpp"

namespace virnucpro {

std::uint64_t ShadowCounters::sampled() const noexcept {
  std::uint64_t sum = 0;
  for (const Stratum& stratum : strata) sum += stratum.sampled.get();
  return sum;
}

void RunCounters::reset() {
  for (Counter* counter : {&input_bytes,
                           &input_bytes_total,
                           &sequences,
                           &one_chunk_sequences,
                           &sequences_scored,
                           &sequences_known,
                           &bases,
                           &chunks,
                           &chunks_known,
                           &chunks_framed,
                           &chunks_with_frames,
                           &frames,
                           &frames_scored,
                           &frames_given_up,
                           &close_calls.chunks,
                           &close_calls.recomputed,
                           &close_calls.frames,
                           &close_calls.esm_tokens,
                           &close_calls.changed,
                           &shadow.esm_tokens}) {
    counter->reset();
  }
  for (ShadowCounters::Stratum& stratum : shadow.strata) {
    for (Counter* counter : {&stratum.chunks, &stratum.sampled, &stratum.changed}) counter->reset();
  }
  shadow.logits.reset();
  shadow.embeddings.reset();
  for (TimeCounter* time : {&host.read, &host.translate, &host.journal, &host.tables}) {
    time->reset();
  }
  pipeline.reset();
}

}  // namespace virnucpro

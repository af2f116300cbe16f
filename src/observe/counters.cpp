#include "observe/counters.hpp"

namespace virnucpro {

void RunCounters::reset() {
  for (Counter* counter :
       {&input_bytes, &input_bytes_total, &sequences, &sequences_scored, &sequences_known, &bases,
        &chunks, &chunks_known, &chunks_framed, &frames, &frames_scored, &frames_given_up}) {
    counter->reset();
  }
  for (TimeCounter* time : {&host.read, &host.translate, &host.journal, &host.tables}) {
    time->reset();
  }
  pipeline.reset();
}

}  // namespace virnucpro

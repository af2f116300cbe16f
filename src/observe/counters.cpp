#include "observe/counters.hpp"

namespace virnucpro {

void RunCounters::reset() {
  for (Counter* counter : {&sequences, &sequences_scored, &sequences_known, &bases, &chunks,
                           &frames, &frames_scored}) {
    counter->reset();
  }
  for (TimeCounter* time : {&host.read, &host.translate, &host.journal, &host.tables}) {
    time->reset();
  }
  pipeline.reset();
}

}  // namespace virnucpro

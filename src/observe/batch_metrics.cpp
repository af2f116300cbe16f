#include "observe/batch_metrics.hpp"

namespace virnucpro {

void add(BatchTimes& sum, const BatchTimes& times) noexcept {
  for (const BatchTimeField& field : kBatchTimeFields) sum.*field.seconds += times.*field.seconds;
}

}  // namespace virnucpro

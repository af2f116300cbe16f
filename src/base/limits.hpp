#pragma once

#include <cstddef>

namespace virnucpro {

// Sizes of the program's queues and windows. They bound memory and affect speed, never results.
// Some tests are linked with sizes of one or two (limits_tiny in tests/CMakeLists.txt), so that
// every edge case occurs.
struct Limits {
  std::size_t chunks_per_block;    // chunks that are translated and tokenized together
  std::size_t blocks_in_flight;    // blocks of chunks between the reader and the packer
  std::size_t frames_in_window;    // frames from which the packer chooses
  std::size_t frames_per_batch;    // the most frames of a batch
  std::size_t parts_per_drain;     // after this many sequences or parts, the window is emptied
  std::size_t batches_in_flight;   // the most batches between the packer and a worker
  std::size_t frames_per_unit;     // a journal row closes at this many frames
  std::size_t sequences_per_unit;  // a journal row closes at this many sequences
  std::size_t rows_in_sort;        // rows of the consensus table that are sorted in memory
  double seconds_until_early;      // default of run.journal_interval
};

const Limits& limits();

}  // namespace virnucpro

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "base/time.hpp"
#include "journal/journal_writer.hpp"
#include "tokens/packer.hpp"

namespace virnucpro {

// Early scores are the scores of frames whose unit is not complete. On a slow device a unit takes
// minutes. So early scores are written to the journal as rows beside the units, and a killed run
// loses only seconds of computing. A score depends only on its frame's tokens, so a resumed run
// finds a frame's score by the hash of the frame's tokens.

Hash128 frame_hash(const FrameTokens& tokens);

// Returns the bytes of a journal row: hash and scores of each frame, then a CRC-32C of both.
std::string encode_early_scores(std::span<const EarlyScore> scores);
// Returns a row's scores; nullopt if the row is damaged. Its frames must then be computed again.
std::optional<std::vector<EarlyScore>> decode_early_scores(std::span<const std::byte> row);

class EarlyScores {
 public:
  // `left` has the early scores of the run's earlier sessions. `next_row` is the first free row.
  // Scores are written every `interval` seconds. The writer must outlive this object.
  EarlyScores(std::vector<EarlyScore> left, std::uint64_t next_row, double interval,
              JournalWriter& writer);

  // Hashes the tokens of frame `number`, and returns the frame's score if `left` has it.
  std::optional<ScorePair> find(std::uint64_t number, const FrameTokens& tokens);
  // Keeps a frame's score for the next write. Ignores a frame that find() has not hashed.
  void keep(std::uint64_t number, const ScorePair& scores);
  // If the last write is at least `interval` seconds ago, calls write_all(). Call it after keep().
  void write_due(std::uint64_t first_waiting);
  // Writes the kept scores of frames from `first_waiting` on. Drops the scores and rows of earlier
  // frames, whose units are in the journal. Call it when a run ends early.
  void write_all(std::uint64_t first_waiting);

 private:
  struct Hash {
    std::size_t operator()(const Hash128& hash) const { return hash.low; }
  };
  struct Row {
    std::uint64_t row = 0;
    std::uint64_t last_number = 0;
  };
  struct Waiting {
    std::uint64_t number = 0;
    EarlyScore score{};
  };

  JournalWriter& writer_;
  std::unordered_map<Hash128, ScorePair, Hash> left_;
  std::deque<Hash128> hashes_;  // hashes of the frames from first_hash_ on
  std::uint64_t first_hash_ = 0;
  std::vector<Waiting> waiting_;
  std::deque<Row> rows_;  // rows written by this session
  std::uint64_t next_row_;
  double interval_;
  StopWatch since_write_;
};

}  // namespace virnucpro

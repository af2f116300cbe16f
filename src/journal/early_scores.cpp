#include "journal/early_scores.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kScoreSize = 2 * sizeof(std::uint64_t) + 2 * sizeof(float);
constexpr std::size_t kCrcSize = 4;

template <typename T>
std::string_view text_of(const std::vector<T>& tokens) {
  return as_text(std::as_bytes(std::span(tokens)));
}

}  // namespace

Hash128 frame_hash(const FrameTokens& tokens) {
  return hash128(text_of(tokens.dna), hash64(text_of(tokens.esm)));
}

std::string encode_early_scores(std::span<const EarlyScore> scores) {
  ByteWriter out;
  for (const EarlyScore& score : scores) {
    out.number(score.frame.low).number(score.frame.high);
    out.number(score.scores.others).number(score.scores.virus);
  }
  out.number(crc32c(as_bytes(out.bytes())));
  return std::move(out.bytes());
}

std::optional<std::vector<EarlyScore>> decode_early_scores(std::span<const std::byte> row) {
  if (row.size() < kCrcSize) return std::nullopt;
  const std::span<const std::byte> scores = row.first(row.size() - kCrcSize);
  if (scores.size() % kScoreSize != 0) return std::nullopt;
  if (value_at<std::uint32_t>(as_text(row), scores.size()) != crc32c(scores)) return std::nullopt;
  std::vector<EarlyScore> decoded;
  ByteReader in(scores, {}, ErrorKind::kJournalDamaged);
  while (in.left() > 0) {
    EarlyScore& score = decoded.emplace_back();
    score.frame.low = in.number<std::uint64_t>();
    score.frame.high = in.number<std::uint64_t>();
    score.scores.others = in.number<float>();
    score.scores.virus = in.number<float>();
  }
  return decoded;
}

EarlyScores::EarlyScores(std::vector<EarlyScore> left, std::uint64_t next_row, double interval,
                         JournalWriter& writer)
    : writer_(writer), next_row_(next_row), interval_(interval) {
  for (const EarlyScore& score : left) left_.emplace(score.frame, score.scores);
}

std::optional<ScorePair> EarlyScores::find(std::uint64_t number, const FrameTokens& tokens) {
  const Hash128 hash = frame_hash(tokens);
  if (hashes_.empty()) first_hash_ = number;
  hashes_.resize(number - first_hash_);  // the skipped frames already have scores
  hashes_.push_back(hash);
  const auto found = left_.find(hash);
  return found == left_.end() ? std::nullopt : std::optional(found->second);
}

void EarlyScores::keep(std::uint64_t number, const ScorePair& scores) {
  const std::uint64_t place = number - first_hash_;
  if (place < hashes_.size()) waiting_.push_back({number, {hashes_[place], scores}});
}

void EarlyScores::write_due(std::uint64_t first_waiting) {
  if (since_write_.seconds() < interval_) return;
  write_all(first_waiting);
}

void EarlyScores::write_all(std::uint64_t first_waiting) {
  since_write_ = StopWatch();
  while (!hashes_.empty() && first_hash_ < first_waiting) {
    hashes_.pop_front();
    ++first_hash_;
  }
  while (!rows_.empty() && rows_.front().last_number < first_waiting) {
    writer_.drop_early(rows_.front().row);
    rows_.pop_front();
  }
  std::vector<EarlyScore> scores;
  Row row{.row = next_row_, .last_number = 0};
  for (const Waiting& waiting : waiting_) {
    if (waiting.number < first_waiting) continue;
    scores.push_back(waiting.score);
    row.last_number = std::max(row.last_number, waiting.number);
  }
  waiting_.clear();
  if (scores.empty()) return;
  ++next_row_;
  rows_.push_back(row);
  writer_.keep_early(row.row, std::move(scores));
}

}  // namespace virnucpro

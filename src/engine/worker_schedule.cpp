#include "engine/worker_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/canary.hpp"

namespace virnucpro {
namespace {

// After this many answers with NaN, the last answer is used, even if other frames had NaN before.
constexpr unsigned kMostNanAnswers = 3;
constexpr unsigned kLossesBeforeCut = 2;

bool holds(const std::vector<std::uint32_t>& sorted, std::uint32_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

}  // namespace

WorkerSchedule::WorkerSchedule(const Settings& settings)
    : settings_(settings), members_(settings.workers) {}

void WorkerSchedule::submit(std::uint64_t batch, std::vector<std::uint32_t> esm_offsets,
                            std::vector<std::uint32_t> dna_offsets, Seconds now) {
  const auto frames = static_cast<std::uint32_t>(esm_offsets.size() - 1);
  batches_[batch] = {.esm_offsets = std::move(esm_offsets),
                     .dna_offsets = std::move(dna_offsets),
                     .open_parts = 1};
  queue_.push_back({.part = {.batch = batch, .begin = 0, .end = frames}});
  assign(now);
}

void WorkerSchedule::ready(std::size_t worker, std::uint64_t token_budget, std::size_t depth,
                           Seconds now) {
  Member& member = members_[worker];
  member.state = State::kChecking;
  member.token_budget = token_budget;
  member.depth = std::max<std::size_t>(depth, 1);
  member.room = member.depth + settings_.prefetch;
  send_canary(worker, now);
}

void WorkerSchedule::canary_answered(std::size_t worker, bool is_right, Seconds now) {
  Member& member = members_[worker];
  land(member, kCanary, canary_tokens(), now);
  if (!is_right) {
    put_back(member, 0);
    strike(worker, "its answer to the test batch differs from the first answer to this batch",
           false, now);
    return;
  }
  member.state = State::kReady;
  member.parts_since_canary = 0;
  if (std::exchange(member.may_be_forgiven, false)) forgive(worker);
  assign(now);
}

WorkerSchedule::Acceptance WorkerSchedule::answered(std::size_t worker, std::uint64_t id,
                                                    const std::vector<std::uint32_t>& not_finite,
                                                    std::uint64_t token_budget, Seconds now) {
  Member& member = members_[worker];
  Item item = std::move(parts_.extract(id).mapped());
  land(member, id, tokens_of(item.part), now);
  member.token_budget = token_budget;
  if (!not_finite.empty()) return judge_nan(worker, std::move(item), not_finite, now);
  note_answer(worker, item.part, now);
  return {.accepted = true, .part = item.part};
}

WorkerSchedule::Acceptance WorkerSchedule::judge_nan(std::size_t worker, Item item,
                                                     const std::vector<std::uint32_t>& not_finite,
                                                     Seconds now) {
  const bool is_first = item.nan_answers++ == 0;
  const bool is_same =
      !is_first && std::all_of(not_finite.begin(), not_finite.end(),
                               [&item](std::uint32_t frame) { return holds(item.nan, frame); });
  if (is_same || item.nan_answers >= kMostNanAnswers) {
    // If two answers agree, the frames cause the NaN, so the earlier worker's strike is removed.
    if (is_same) nan_was_confirmed_ = true;
    if (is_same) forgive(item.lost_on.back());
    note_answer(worker, item.part, now);
    return {.accepted = true, .part = item.part, .given_up = not_finite};
  }
  item.nan = not_finite;
  item.lost_on.push_back(worker);
  const BatchPart part = item.part;
  // Asks another worker and does not restart this worker, because some frames of this run are known
  // to cause NaN.
  if (nan_was_confirmed_) {
    queue_.push_front(std::move(item));
    assign(now);
    return {.accepted = false, .part = part};
  }
  put_back(members_[worker], 0);
  queue_.push_front(std::move(item));
  strike(worker, "its answer has NaN or infinite numbers", false, now);
  return {.accepted = false, .part = part};
}

void WorkerSchedule::note_answer(std::size_t worker, const BatchPart& part, Seconds now) {
  members_[worker].strikes = 0;
  lost_in_a_row_ = 0;
  was_any_answered_ = true;
  give_up_condemned();
  close_part(part);
  assign(now);
}

bool WorkerSchedule::out_of_memory(std::size_t worker, std::uint64_t id, std::uint64_t token_budget,
                                   Seconds now) {
  Member& member = members_[worker];
  member.token_budget = token_budget;
  Item item = std::move(parts_.extract(id).mapped());
  member.flying.erase(std::find(member.flying.begin(), member.flying.end(), id));
  member.since = now;
  if (item.part.frames() == 1) return false;
  cut_in_two(std::move(item));
  assign(now);
  return true;
}

void WorkerSchedule::lost(std::size_t worker, const std::string& reason, Seconds now,
                          std::size_t unsent) {
  Member& member = members_[worker];
  if (member.state == State::kDropped || member.state == State::kWaiting) return;
  const std::size_t reached = member.flying.size() - std::min(unsent, member.flying.size());
  const bool was_suspect = reached == 1 && holds_a_suspect(member);
  put_back(member, std::min(member.depth, reached));
  strike(worker, reason, was_suspect, now);
}

void WorkerSchedule::strike(std::size_t worker, const std::string& reason, bool is_blamed_on_parts,
                            Seconds now) {
  Member& member = members_[worker];
  ++lost_in_a_row_;
  ++member.strikes;
  member.may_be_forgiven = is_blamed_on_parts;
  if (member.strikes >= settings_.strikes && !is_blamed_on_parts) {
    member.state = State::kDropped;
    actions_.emplace_back(Kill{.worker = worker, .reason = reason, .delay = {}});
  } else {
    const unsigned doublings = std::min(member.strikes - 1, 16U);
    const Seconds delay =
        std::min(settings_.longest_delay, settings_.first_delay * (1U << doublings));
    member.state = State::kWaiting;
    member.since = now + delay;
    actions_.emplace_back(Kill{.worker = worker, .reason = reason, .delay = delay});
  }
  const bool any_left = std::any_of(members_.begin(), members_.end(), [](const Member& other) {
    return other.state != State::kDropped;
  });
  // True if only condemned parts are left, so that no other part can be answered.
  const bool is_stuck = !condemned_.empty() && queue_.empty() && parts_.empty();
  if (!any_left || lost_in_a_row_ > settings_.most_lost || (is_stuck && !was_any_answered_)) {
    actions_.emplace_back(End{.worker = worker, .reason = reason});
  } else if (is_stuck) {
    give_up_condemned();
  }
  assign(now);
}

// Puts a lost worker's parts at the front of the queue, in their order. The worker had begun the
// first `blamed` parts; one of these may have caused the loss.
void WorkerSchedule::put_back(Member& member, std::size_t blamed) {
  const auto worker = static_cast<std::size_t>(&member - members_.data());
  for (std::size_t i = member.flying.size(); i-- > 0;) {
    const std::uint64_t id = member.flying[i];
    if (id == kCanary) continue;
    Item item = std::move(parts_.extract(id).mapped());
    if (i < blamed) {
      ++item.losses;
      if (blamed == 1) ++item.alone_lost;
      item.lost_on.push_back(worker);
    }
    put_in_front(std::move(item));
  }
  member.flying.clear();
}

void WorkerSchedule::put_in_front(Item item) {
  if (item.losses >= kLossesBeforeCut) {
    if (item.part.frames() > 1) return cut_in_two(std::move(item));
    if (item.alone_lost >= kLossesBeforeCut) return condemned_.push_back(item.part);
  }
  queue_.push_front(std::move(item));
}

void WorkerSchedule::cut_in_two(Item item) {
  const std::uint32_t middle = item.part.begin + item.part.frames() / 2;
  // If a worker was lost with the part, the cause may be in either half. So both halves stay
  // suspects, and one more loss with a half cuts this half.
  Item half{.part = item.part, .losses = std::min(item.losses, 1U), .lost_on = item.lost_on};
  half.part.begin = middle;
  queue_.push_front(half);
  half.part = {.batch = item.part.batch, .begin = item.part.begin, .end = middle};
  queue_.push_front(half);
  ++batches_.at(item.part.batch).open_parts;
}

void WorkerSchedule::give_up_condemned() {
  for (const BatchPart& part : std::exchange(condemned_, {})) {
    actions_.emplace_back(GiveUp{
        .part = part, .reason = "two worker processes were lost while computing this frame"});
    close_part(part);
  }
}

void WorkerSchedule::close_part(const BatchPart& part) {
  const auto batch = batches_.find(part.batch);
  if (--batch->second.open_parts == 0) batches_.erase(batch);
}

void WorkerSchedule::forgive(std::size_t worker) {
  Member& member = members_[worker];
  if (member.strikes > 0) --member.strikes;
}

void WorkerSchedule::tick(Seconds now) {
  for (std::size_t worker = 0; worker < members_.size(); ++worker) {
    Member& member = members_[worker];
    if (member.state == State::kWaiting && now >= member.since) {
      member.state = State::kStarting;
      member.since = now;
      ++member.starts;
      actions_.emplace_back(Start{worker});
    } else if (const std::string why = why_hanging(member, now); !why.empty()) {
      lost(worker, why, now);
    }
  }
}

std::string WorkerSchedule::why_hanging(const Member& member, Seconds now) const {
  const bool is_starting = member.state == State::kStarting;
  if (!is_starting && member.flying.empty()) return {};
  if (member.state == State::kWaiting || member.state == State::kDropped) return {};
  const Seconds waited = now - member.since;
  if (waited <= longest_wait(member)) return {};
  return is_starting ? fmt::format("it was not ready after {:.0f} s", waited)
                     : fmt::format("no answer came for {:.0f} s", waited);
}

WorkerSchedule::Seconds WorkerSchedule::longest_wait(const Member& member) const {
  if (member.state == State::kStarting || !slowest_) return settings_.longest_start;
  const std::uint64_t id = member.flying.front();
  const std::size_t tokens = id == kCanary ? canary_tokens() : tokens_of(parts_.at(id).part);
  return std::max(settings_.shortest_hang,
                  settings_.hang_factor * *slowest_ * timed_tokens(member, tokens));
}

// Returns the number of tokens by which a batch's time is divided, with a minimum. A batch has a
// fixed cost, so without a minimum a tiny batch would look slow, and longest_wait() would be hours.
double WorkerSchedule::timed_tokens(const Member& member, std::size_t tokens) {
  constexpr std::uint64_t kLeastShare = 8;  // the minimum is an eighth of the worker's token budget
  return static_cast<double>(std::max<std::uint64_t>(tokens, member.token_budget / kLeastShare));
}

std::vector<WorkerSchedule::Action> WorkerSchedule::next_actions() {
  return std::exchange(actions_, {});
}

bool WorkerSchedule::has(std::size_t worker, std::uint64_t id) const {
  const auto& flying = members_[worker].flying;
  return std::find(flying.begin(), flying.end(), id) != flying.end();
}

bool WorkerSchedule::all_ready() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.state == State::kReady || member.state == State::kDropped;
  });
}

std::size_t WorkerSchedule::tokens_of(const BatchPart& part) const {
  const Shape& shape = batches_.at(part.batch);
  const auto count = [&part](const std::vector<std::uint32_t>& offsets) {
    return offsets[part.end] - offsets[part.begin];
  };
  return std::max(count(shape.esm_offsets), count(shape.dna_offsets));
}

bool WorkerSchedule::is_alive(std::size_t worker) const {
  return members_[worker].state != State::kDropped;
}

// True if this worker was never lost with this suspect, or if every living worker was lost with it.
bool WorkerSchedule::is_free_for(std::size_t worker, const Item& item) const {
  const auto met = [&item](std::size_t other) {
    return std::find(item.lost_on.begin(), item.lost_on.end(), other) != item.lost_on.end();
  };
  if (!met(worker)) return true;
  for (std::size_t other = 0; other < members_.size(); ++other) {
    if (is_alive(other) && !met(other)) return false;
  }
  return true;
}

bool WorkerSchedule::holds_a_suspect(const Member& member) const {
  return member.flying.size() == 1 && member.flying.front() != kCanary &&
         parts_.at(member.flying.front()).is_suspect();
}

bool WorkerSchedule::has_room(const Member& member) const {
  return member.flying.size() < member.room && !holds_a_suspect(member);
}

// Returns the least busy ready worker that is not reserved and may compute `suspect`. If `suspect`
// is null, the worker must have room instead. Returns nothing if there is no such worker.
std::optional<std::size_t> WorkerSchedule::least_busy(const std::vector<bool>& reserved,
                                                      const Item* suspect) const {
  std::optional<std::size_t> best;
  for (std::size_t worker = 0; worker < members_.size(); ++worker) {
    const Member& member = members_[worker];
    if (member.state != State::kReady || reserved[worker]) continue;
    if (suspect != nullptr ? !is_free_for(worker, *suspect) : !has_room(member)) continue;
    if (!best || member.flying.size() < members_[*best].flying.size()) best = worker;
  }
  return best;
}

void WorkerSchedule::assign(Seconds now) {
  assign_others(assign_suspects(now), now);
}

// Sends suspects to idle workers. If only a busy worker may compute a suspect, reserves this
// worker: it gets no other part until it is idle. Returns which workers are reserved.
std::vector<bool> WorkerSchedule::assign_suspects(Seconds now) {
  std::vector<bool> reserved(members_.size());
  for (std::size_t i = 0; i < queue_.size();) {
    const auto worker = queue_[i].is_suspect() ? least_busy(reserved, &queue_[i]) : std::nullopt;
    if (worker) reserved[*worker] = true;
    if (worker && members_[*worker].flying.empty()) {
      Item item = std::move(queue_[i]);
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
      send(*worker, std::move(item), now);
    } else {
      ++i;
    }
  }
  return reserved;
}

void WorkerSchedule::assign_others(const std::vector<bool>& reserved, Seconds now) {
  for (std::size_t i = 0; i < queue_.size();) {
    if (queue_[i].is_suspect()) {
      ++i;
      continue;
    }
    const auto worker = least_busy(reserved, nullptr);
    if (!worker) return;
    Item item = std::move(queue_[i]);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
    if (tokens_of(item.part) > members_[*worker].token_budget && item.part.frames() > 1) {
      cut_in_two(std::move(item));
      i = 0;
      continue;
    }
    if (members_[*worker].parts_since_canary >= settings_.parts_between_canaries) {
      send_canary(*worker, now);
    }
    send(*worker, std::move(item), now);
  }
}

void WorkerSchedule::send(std::size_t worker, Item item, Seconds now) {
  Member& member = members_[worker];
  const std::uint64_t id = next_id_++;
  actions_.emplace_back(SendPart{.worker = worker, .id = id, .part = item.part});
  parts_.emplace(id, std::move(item));
  if (member.flying.empty()) member.since = now;
  member.flying.push_back(id);
  ++member.parts_since_canary;
}

void WorkerSchedule::send_canary(std::size_t worker, Seconds now) {
  Member& member = members_[worker];
  actions_.emplace_back(SendCanary{.worker = worker, .id = kCanary});
  if (member.flying.empty()) member.since = now;
  member.flying.push_back(kCanary);
  member.parts_since_canary = 0;
}

// Removes an answered message, and measures its time if it did not wait for an older message.
void WorkerSchedule::land(Member& member, std::uint64_t id, std::size_t tokens, Seconds now) {
  const auto place = std::find(member.flying.begin(), member.flying.end(), id);
  if (place == member.flying.begin() && tokens > 0) {
    const double seconds_a_token = (now - member.since) / timed_tokens(member, tokens);
    slowest_ = std::max(slowest_.value_or(0), seconds_a_token);
  }
  member.flying.erase(place);
  member.since = now;
}

}  // namespace virnucpro

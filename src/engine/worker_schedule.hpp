#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/batch_parts.hpp"

namespace virnucpro {

// Decides which worker computes which part of a batch, and what happens after a failure. It uses no
// processes and no clocks, so that tests can simulate years. The caller reports events with their
// times and carries out the actions.
//
// - A worker with room gets the oldest part, so that fast and slow GPUs are all busy.
// - A lost worker is restarted, each time after a longer delay. After `strikes` losses without a
//   good answer in between, the worker is dropped. Other workers get the parts of a lost worker.
// - A part that a lost worker had begun is a suspect. It is computed alone, if possible on another
//   worker. A worker that is lost with only a suspect is not dropped. After its second loss a
//   suspect is cut in two, and its halves in turn, down to single frames.
// - A frame is condemned if two workers were lost while they computed only this frame. It is given
//   up when another part is answered; or at once, if no other part is left but some were answered.
// - If workers are lost with every part, the machine is at fault. Then the run ends, and no frame
//   is given up.
// - A part with NaN is computed again, on another or a restarted worker. Frames that stay NaN are
//   given up.
class WorkerSchedule {
 public:
  using Seconds = double;  // seconds since a fixed moment

  struct Settings {
    std::size_t workers = 1;
    std::size_t prefetch = 2;  // parts that wait at a worker, in addition to those in progress
    unsigned strikes = 3;
    Seconds first_delay = 0.5;  // wait before a restart; a strike doubles it, up to longest_delay
    Seconds longest_delay = 30;
    // A worker counts as hanging if a part takes longer than shortest_hang, and longer than
    // hang_factor times the part's tokens times the slowest time per token so far. During a start,
    // and before the first time was measured, the limit is longest_start.
    double hang_factor = 10;
    Seconds shortest_hang = 60;
    Seconds longest_start = 1800;
    std::uint64_t parts_between_canaries = 64;
    // The run ends after more losses than this in a row, without a good answer in between.
    unsigned most_lost = 64;
  };

  // Actions for the caller. Answers to SendCanary go to canary_answered(), others to answered().
  struct Start {
    std::size_t worker;
  };
  struct Kill {  // a Start follows after `delay`; empty: never
    std::size_t worker;
    std::string reason;
    std::optional<Seconds> delay;
  };
  struct SendCanary {
    std::size_t worker;
    std::uint64_t id;
  };
  struct SendPart {
    std::size_t worker;
    std::uint64_t id;
    BatchPart part;
  };
  struct GiveUp {  // the part is one frame
    BatchPart part;
    std::string reason;
  };
  struct End {  // the run cannot go on; `worker` is the one that was lost last
    std::size_t worker;
    std::string reason;
  };
  using Action = std::variant<Start, Kill, SendCanary, SendPart, GiveUp, End>;

  // Says if an answer is used, and which of its frames are given up because of NaN.
  struct Acceptance {
    bool accepted = false;
    BatchPart part;
    std::vector<std::uint32_t> given_up{};  // indices of frames in the part
  };

  // Makes a schedule. Its first tick() starts all workers.
  explicit WorkerSchedule(const Settings& settings);

  // Events of the run. `worker` is an index. The caller must check ids with has() first.

  // Adds a batch. The offsets tell where each frame begins in the tokens of each model.
  void submit(std::uint64_t batch, std::vector<std::uint32_t> esm_offsets,
              std::vector<std::uint32_t> dna_offsets, Seconds now);
  // Notes that a worker has loaded its models. The worker then gets the canary.
  void ready(std::size_t worker, std::uint64_t token_budget, std::size_t depth, Seconds now);
  void canary_answered(std::size_t worker, bool is_right, Seconds now);
  Acceptance answered(std::size_t worker, std::uint64_t id,
                      const std::vector<std::uint32_t>& not_finite, std::uint64_t token_budget,
                      Seconds now);
  // Divides a part that needs too much memory. Returns false if the part is a single frame.
  bool out_of_memory(std::size_t worker, std::uint64_t id, std::uint64_t token_budget, Seconds now);
  // Notes a lost worker. Its last `unsent` messages were not sent, so they are not the cause.
  void lost(std::size_t worker, const std::string& reason, Seconds now, std::size_t unsent = 0);
  // Restarts workers when their delay is over, and finds workers that hang. Call this regularly.
  void tick(Seconds now);

  std::vector<Action> next_actions();

  bool has(std::size_t worker, std::uint64_t id) const;
  bool is_canary(std::uint64_t id) const { return id == kCanary; }
  // Returns the part that was sent with this id and has no answer yet.
  BatchPart part_of(std::uint64_t id) const { return parts_.at(id).part; }
  bool all_ready() const;  // ignores dropped workers
  unsigned starts_of(std::size_t worker) const { return members_[worker].starts; }

 private:
  static constexpr std::uint64_t kCanary = 0;

  struct Shape {
    std::vector<std::uint32_t> esm_offsets;
    std::vector<std::uint32_t> dna_offsets;
    std::size_t open_parts = 0;
  };

  // A part and its history.
  struct Item {
    BatchPart part;
    unsigned losses = 0;      // workers that were lost after they had begun this part
    unsigned alone_lost = 0;  // workers that were lost after they had begun only this part
    std::vector<std::size_t> lost_on{};
    unsigned nan_answers = 0;
    std::vector<std::uint32_t> nan{};  // frames with NaN in the last answer

    bool is_suspect() const { return losses > 0 || nan_answers > 0; }
  };

  enum class State : std::uint8_t { kWaiting, kStarting, kChecking, kReady, kDropped };

  struct Member {
    State state = State::kWaiting;
    // When the next start is due (kWaiting), this start began (kStarting), or flying.front() began.
    Seconds since = 0;
    unsigned starts = 0;
    unsigned strikes = 0;
    bool may_be_forgiven = false;  // a right canary answer removes the last strike
    std::size_t room = 0;
    std::size_t depth = 1;
    std::uint64_t token_budget = 0;
    std::uint64_t parts_since_canary = 0;
    std::deque<std::uint64_t> flying;  // ids of messages without an answer, in the order sent
  };

  std::size_t tokens_of(const BatchPart& part) const;
  bool is_alive(std::size_t worker) const;
  bool is_free_for(std::size_t worker, const Item& item) const;
  std::optional<std::size_t> least_busy(const std::vector<bool>& reserved,
                                        const Item* suspect) const;
  bool holds_a_suspect(const Member& member) const;
  bool has_room(const Member& member) const;
  void assign(Seconds now);
  std::vector<bool> assign_suspects(Seconds now);
  void assign_others(const std::vector<bool>& reserved, Seconds now);
  void send(std::size_t worker, Item item, Seconds now);
  void send_canary(std::size_t worker, Seconds now);
  void land(Member& member, std::uint64_t id, std::size_t tokens, Seconds now);
  void strike(std::size_t worker, const std::string& reason, bool is_blamed_on_parts, Seconds now);
  void put_back(Member& member, std::size_t blamed);
  void put_in_front(Item item);
  void cut_in_two(Item item);
  void note_answer(std::size_t worker, const BatchPart& part, Seconds now);
  void give_up_condemned();
  void close_part(const BatchPart& part);
  void forgive(std::size_t worker);
  Acceptance judge_nan(std::size_t worker, Item item, const std::vector<std::uint32_t>& not_finite,
                       Seconds now);
  Seconds longest_wait(const Member& member) const;
  static double timed_tokens(const Member& member, std::size_t tokens);
  std::string why_hanging(const Member& member, Seconds now) const;

  Settings settings_;
  std::vector<Member> members_;
  std::map<std::uint64_t, Shape> batches_;
  std::deque<Item> queue_;
  std::map<std::uint64_t, Item> parts_;  // the parts sent to workers, by id
  std::vector<BatchPart> condemned_;     // frames to give up once another part is answered
  std::uint64_t next_id_ = kCanary + 1;
  std::optional<double> slowest_;  // seconds per token
  unsigned lost_in_a_row_ = 0;
  bool nan_was_confirmed_ = false;
  bool was_any_answered_ = false;
  std::vector<Action> actions_;
};

}  // namespace virnucpro

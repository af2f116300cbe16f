#include "tokens/packer.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBudgetsInWindow = 64;
// The search for a frame that fits in the batch tries at most this many frames. A few are enough:
// if a frame's tokens for one model fit, its tokens for the other model nearly always fit, too.
constexpr std::size_t kProbes = 32;

struct Entry {
  FrameTokens tokens;
  std::vector<std::uint64_t> occurrences;
  std::uint64_t age = 0;  // number of frames added before this one
};

std::size_t esm_size(const Entry& entry) {
  return entry.tokens.esm.size();
}
std::size_t dna_size(const Entry& entry) {
  return entry.tokens.dna.size();
}

// Sorts entries by their number of tokens. If sizes are equal, the oldest entry is last, so that a
// search from the largest entry down finds the oldest first.
template <std::size_t (*kSize)(const Entry&)>
struct BySize {
  using is_transparent = void;
  bool operator()(const Entry* a, const Entry* b) const {
    return std::pair(kSize(*a), b->age) < std::pair(kSize(*b), a->age);
  }
  bool operator()(std::size_t size, const Entry* b) const { return size < kSize(*b); }
};

struct HashTokens {
  std::size_t operator()(const Entry* entry) const {
    const auto hash = [](const auto& tokens) {
      return std::hash<std::string_view>()(as_text(std::as_bytes(std::span(tokens))));
    };
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15U;
    return hash(entry->tokens.dna) * kOdd + hash(entry->tokens.esm);
  }
};
struct EqualTokens {
  bool operator()(const Entry* a, const Entry* b) const {
    return a->tokens.esm == b->tokens.esm && a->tokens.dna == b->tokens.dna;
  }
};

template <typename T>
void append(const std::vector<T>& tokens, std::vector<T>& all, std::vector<std::uint32_t>& ends) {
  all.insert(all.end(), tokens.begin(), tokens.end());
  ends.push_back(static_cast<std::uint32_t>(all.size()));
}

// The numbers of tokens and frames that still fit in a batch.
struct Room {
  std::size_t esm;
  std::size_t dna;
  std::size_t frames;

  bool fits(const Entry& entry) const {
    return frames > 0 && esm_size(entry) <= esm && dna_size(entry) <= dna;
  }
  // Subtracts an entry. If the first frame is longer than the budget, no other frame fits.
  void fill(const Entry& entry) {
    const bool within = fits(entry);
    esm -= std::min(esm, esm_size(entry));
    dna -= std::min(dna, dna_size(entry));
    frames = within ? frames - 1 : 0;
  }
};

}  // namespace

struct Packer::Window {
  explicit Window(const PackSettings& given) : settings(given) {
    settings.frames_in_window = std::max<std::size_t>(settings.frames_in_window, 1);
    if (settings.tokens_in_window == 0) {
      settings.tokens_in_window = kBudgetsInWindow * settings.token_budget;
    }
  }

  bool is_full() const {
    const std::size_t tokens = std::max(esm_tokens, dna_tokens);
    const bool holds_batch =
        tokens >= settings.token_budget || by_age.size() >= settings.frames_per_batch;
    if (by_age.size() >= settings.frames_in_window && holds_batch) return true;
    return !by_age.empty() && tokens + repeats >= settings.tokens_in_window;
  }

  void insert(FrameTokens frame, std::uint64_t number);
  void move_to(PackedBatch& batch, Entry& entry);
  Entry* longest_that_fits(const Room& room) const;
  PackedBatch pack();

  PackSettings settings;
  std::map<std::uint64_t, Entry> by_age;
  std::set<Entry*, BySize<esm_size>> by_esm;
  std::set<Entry*, BySize<dna_size>> by_dna;
  std::unordered_set<Entry*, HashTokens, EqualTokens> distinct;  // empty without deduplication
  std::size_t esm_tokens = 0;
  std::size_t dna_tokens = 0;
  std::size_t repeats = 0;
  std::uint64_t next_age = 0;
};

void Packer::Window::insert(FrameTokens frame, std::uint64_t number) {
  const std::uint64_t age = next_age++;
  Entry& entry = by_age[age];
  entry = {.tokens = std::move(frame), .occurrences = {number}, .age = age};
  if (settings.deduplicate) {
    const auto [known, fresh] = distinct.insert(&entry);
    if (!fresh) {
      (*known)->occurrences.push_back(number);
      ++repeats;
      by_age.erase(age);
      return;
    }
  }
  by_esm.insert(&entry);
  by_dna.insert(&entry);
  esm_tokens += esm_size(entry);
  dna_tokens += dna_size(entry);
}

void Packer::Window::move_to(PackedBatch& batch, Entry& entry) {
  by_esm.erase(&entry);
  by_dna.erase(&entry);
  if (settings.deduplicate) distinct.erase(&entry);
  esm_tokens -= esm_size(entry);
  dna_tokens -= dna_size(entry);
  repeats -= entry.occurrences.size() - 1;
  append(entry.tokens.esm, batch.frames.esm_tokens, batch.frames.esm_offsets);
  append(entry.tokens.dna, batch.frames.dna_tokens, batch.frames.dna_offsets);
  batch.occurrences.push_back(std::move(entry.occurrences));
  by_age.erase(entry.age);
}

// Of the frames that fit, returns the longest for the model with less room; null if none is found.
Entry* Packer::Window::longest_that_fits(const Room& room) const {
  const auto search = [&room](const auto& by_size, std::size_t size) -> Entry* {
    auto next = by_size.upper_bound(size);
    for (std::size_t probe = 0; probe < kProbes && next != by_size.begin(); ++probe) {
      --next;
      if (room.fits(**next)) return *next;
    }
    return nullptr;
  };
  return room.dna < room.esm ? search(by_dna, room.dna) : search(by_esm, room.esm);
}

PackedBatch Packer::Window::pack() {
  PackedBatch batch;
  Room room{.esm = settings.token_budget,
            .dna = settings.token_budget,
            .frames = settings.frames_per_batch};
  const auto move = [&](Entry& entry) {
    room.fill(entry);
    move_to(batch, entry);
  };
  move(by_age.begin()->second);
  while (!by_age.empty() && room.fits(by_age.begin()->second)) move(by_age.begin()->second);
  while (Entry* entry = longest_that_fits(room)) move(*entry);
  return batch;
}

Packer::Packer(const PackSettings& settings) : window_(std::make_unique<Window>(settings)) {
  // In a run's settings, 0 means that the device chooses the budget. By now a budget must be set.
  if (settings.token_budget == 0)
    throw Error(ErrorKind::kInternal, "the packer was given no token budget");
}
Packer::~Packer() = default;
Packer::Packer(Packer&&) noexcept = default;

void Packer::add(FrameTokens frame, std::uint64_t number) {
  window_->insert(std::move(frame), number);
}

std::optional<PackedBatch> Packer::next_batch() {
  if (!window_->is_full()) return std::nullopt;
  return window_->pack();
}

std::optional<PackedBatch> Packer::drain() {
  if (window_->by_age.empty()) return std::nullopt;
  return window_->pack();
}

}  // namespace virnucpro

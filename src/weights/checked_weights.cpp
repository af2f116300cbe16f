#include "weights/checked_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "weights/stored_tensor.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kBlock = 16U << 10U;  // values; small enough to stay in the L2 cache
constexpr std::uint32_t kExponent = 0x7f800000U;

bool all_finite(std::span<const float> values) {
  std::uint32_t bad = 0;
  for (const float value : values) {
    bad |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
  }
  return bad == 0;
}

bool all_non_negative(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value >= 0; });
}

// Remembers a tensor's first bad value. report() throws the error. Call it after the check of the
// checksum, so that a damaged file is reported as damaged.
class ValueCheck {
 public:
  explicit ValueCheck(bool non_negative) : non_negative_(non_negative) {}

  void look_at(std::span<const float> values, std::uint64_t first) {
    if (problem_) return;
    if (!all_finite(values)) {
      problem_ = {ErrorKind::kWeightsNotFinite, describe(values, first)};
    } else if (non_negative_ && !all_non_negative(values)) {
      problem_ = {ErrorKind::kWeightsTensor, describe(values, first) + "; expected 0 or more"};
    }
  }

  void report(const Place& place) const {
    if (problem_) throw Error(problem_->kind, place, problem_->detail);
  }

 private:
  struct Problem {
    ErrorKind kind;
    std::string detail;
  };

  std::string describe(std::span<const float> values, std::uint64_t first) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool bad = !all_finite(values.subspan(i, 1)) || (non_negative_ && values[i] < 0);
      if (bad) return fmt::format("element {} is {}", first + i, values[i]);
    }
    return {};
  }

  bool non_negative_;
  std::optional<Problem> problem_;
};

}  // namespace

bool CheckedWeights::has(const std::string& name) const {
  return tensors_.contains(name);
}

Shape CheckedWeights::shape(const std::string& name) const {
  return find(name).shape;
}

const CheckedWeights::Tensor& CheckedWeights::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw Error(ErrorKind::kWeightsTensor, Place{.file = origin_, .tensor = name}, "missing");
  }
  return found->second;
}

void CheckedWeights::read(const std::string& name, const Shape& expected,
                          std::span<float> out) const {
  const Tensor& tensor = find(name);
  if (tensor.shape != expected || element_count(expected) != out.size()) {
    throw Error(
        ErrorKind::kWeightsTensor, Place{.file = origin_, .tensor = name},
        fmt::format("shape {}, expected {}", shape_text(tensor.shape), shape_text(expected)));
  }
  remember(name, pass(name, out));
}

void CheckedWeights::remember(const std::string& name, const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  if (hashes_.try_emplace(name, hash).first->second == hash) return;
  throw Error(ErrorKind::kWeightsChanged, Place{.file = origin_, .tensor = name},
              "the second reading of this tensor gave other values than the first");
}

std::string CheckedWeights::pass(const std::string& name, std::span<float> out) const {
  const Tensor& tensor = find(name);
  const std::uint64_t count = element_count(tensor.shape).value_or(0);
  ContentHash hash;
  hash.update(as_bytes(fmt::format("{} {}\n", name, shape_text(tensor.shape))));
  ValueCheck check(tensor.non_negative);
  std::vector<float> scratch(out.empty() ? std::min<std::uint64_t>(count, kBlock) : 0);
  const auto stream = open(name);
  for (std::uint64_t done = 0; done < count;) {
    const std::size_t size = std::min<std::uint64_t>(kBlock, count - done);
    const std::span<float> block =
        out.empty() ? std::span(scratch).first(size) : out.subspan(done, size);
    stream->fill(block);
    check.look_at(block, done);
    hash.update(std::as_bytes(block));
    done += size;
  }
  stream->finish();
  check.report(Place{.file = origin_, .tensor = name});
  return hash.hex();
}

std::string CheckedWeights::hash() const {
  ContentHash whole;
  const bool again = was_touched();
  for (const auto& [name, tensor] : tensors_) {
    std::string hash;
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = hashes_.find(name); found != hashes_.end()) hash = found->second;
    }
    if (hash.empty() || again) {
      hash = pass(name, {});
      remember(name, hash);
    }
    whole.update(as_bytes(hash));
  }
  whole.update(as_bytes(settings_));
  return whole.hex();
}

}  // namespace virnucpro

#include "models/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace virnucpro {
namespace {

[[noreturn]] void fail(const BatchRules& rules, const std::string& what) {
  throw Error(ErrorKind::kInternal, fmt::format("{} batch: {}", rules.model, what));
}

template <typename Token>
void check(const TokenBatch<Token>& batch, const BatchRules& rules, std::size_t out) {
  const auto& [tokens, offsets] = batch;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != tokens.size()) {
    fail(rules, fmt::format("its offsets do not cover its {} tokens", tokens.size()));
  }
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < rules.shortest) {
      fail(rules, fmt::format("sequence {} has fewer than {} tokens", i, rules.shortest));
    }
  }
  const auto unknown = std::find_if(tokens.begin(), tokens.end(),
                                    [&](Token token) { return token >= rules.vocabulary; });
  if (unknown != tokens.end()) {
    fail(rules, fmt::format("token {} at index {} is not in the vocabulary of {} tokens", *unknown,
                            unknown - tokens.begin(), rules.vocabulary));
  }
  if (out != batch.sequences() * rules.width) {
    fail(rules, fmt::format("the output has {} numbers; {} sequences need {} each", out,
                            batch.sequences(), rules.width));
  }
}

}  // namespace

void check_batch(const TokenBatch<std::uint8_t>& batch, const BatchRules& rules, std::size_t out) {
  check(batch, rules, out);
}

void check_batch(const TokenBatch<std::uint16_t>& batch, const BatchRules& rules, std::size_t out) {
  check(batch, rules, out);
}

}  // namespace virnucpro

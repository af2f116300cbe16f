#include "run/shard.hpp"

#include "base/text.hpp"

namespace virnucpro {

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = parse_count(text.substr(0, slash));
  const auto count = parse_count(text.substr(slash + 1));
  if (!index || !count || *index >= *count || *count > Shard::kMost) return std::nullopt;
  return Shard{.index = *index, .count = *count};
}

ShardSums::ShardSums(std::uint64_t count) : sums_(count), kept_(count) {
  drop();
}

void ShardSums::add(std::size_t shard, std::uint64_t letters) {
  auto node = order_.extract({sums_[shard], shard});
  sums_[shard] += letters;
  node.value().first = sums_[shard];
  order_.insert(std::move(node));
}

void ShardSums::drop() {
  sums_ = kept_;
  order_.clear();
  for (std::size_t k = 0; k < sums_.size(); ++k) order_.emplace(sums_[k], k);
}

}  // namespace virnucpro

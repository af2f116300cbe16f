#include "measure/commands/profile_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"
#include "base/text.hpp"
#include "run/run_fingerprint.hpp"

namespace virnucpro {
namespace {

std::uint64_t rounded(double rate) {
  return static_cast<std::uint64_t>(std::llround(rate));
}

Json json_row(const BudgetRow& row) {
  if (row.out_of_memory) return {{"token_budget", row.token_budget}, {"out_of_memory", true}};
  return {{"token_budget", row.token_budget},
          {"out_of_memory", false},
          {"tokens_per_second", row.tokens_per_second},
          {"spread", row.spread},
          {"batches", row.batches},
          {"rates", row.rates},
          {"device_busy_share", row.busy_share}};
}

Json json_memory(const DeviceUse& memory) {
  Json json{{"kept_bytes", memory.kept}};
  for (std::size_t k = 0; k < kPurposes; ++k) {
    const MemoryUse& use = memory.by_purpose.at(k);
    json[name_of(static_cast<Purpose>(k))] = {{"bytes", use.current}, {"peak_bytes", use.peak}};
  }
  return json;
}

// Returns a precision such as "fp16", or "int8, none in 16 bits".
std::string precision_of(const std::map<std::string, std::string>& about) {
  const auto keep = about.find(kInt8KeepKey);
  const std::string& precision = about.at("precision");
  return keep == about.end() ? precision
                             : fmt::format("{}, {} in 16 bits", precision, keep->second);
}

}  // namespace

std::string profile_head(const ProfileFacts& facts) {
  const auto& about = facts.description;
  const std::string source = facts.test_file.empty() ? "made-up sequences" : facts.test_file;
  return fmt::format("model   {}, {}\n", printable(facts.weights), precision_of(about)) +
         fmt::format("device  {}, {}, {} threads\n", facts.device, about.at("kernel_path"),
                     facts.threads) +
         fmt::format("frames  {} of {}, {:.1f} tokens each\n\n", grouped(facts.frames),
                     printable(source),
                     static_cast<double>(facts.tokens) / static_cast<double>(facts.frames)) +
         fmt::format("{:>12}  {:>14}  {:>8}  {:>8}\n", "token budget", "tokens/s", "spread",
                     "batches");
}

std::string profile_row(const BudgetRow& row) {
  if (row.out_of_memory) return fmt::format("{:>12}  {:>14}\n", row.token_budget, "out of memory");
  return fmt::format("{:>12}  {:>14}  {:>6.1f} %  {:>8}\n", row.token_budget,
                     grouped(rounded(row.tokens_per_second)), 100 * row.spread,
                     grouped(row.batches));
}

std::string profile_end(std::size_t recommended) {
  return fmt::format("\nthe smallest budget within {:.0f} % of the fastest: --token-budget {}\n",
                     100 * (1 - kGoodEnough), recommended);
}

std::string profile_json(const ProfileFacts& facts, const std::vector<BudgetRow>& rows,
                         std::size_t recommended) {
  const auto& about = facts.description;
  const auto keep = about.find(kInt8KeepKey);
  std::vector<Json> budgets;
  for (const BudgetRow& row : rows) budgets.push_back(json_row(row));
  const Json json{{"program_version", about.at("program_version")},
                  {"model", facts.model},
                  {"weights", facts.weights},
                  {"weights_hash", facts.weights_hash},
                  {"synthetic_weights", about.at("synthetic_weights") == "true"},
                  {"device", facts.device},
                  {"device_description", facts.device_description},
                  {"kernel_path", about.at("kernel_path")},
                  {"precision", about.at("precision")},
                  {"int8_keep", keep == about.end() ? Json() : Json(keep->second)},
                  {"threads", facts.threads},
                  {"test_file", facts.test_file.empty() ? Json() : Json(facts.test_file)},
                  {"chunk_size", facts.chunk_size},
                  {"frames", facts.frames},
                  {"tokens", facts.tokens},
                  {"seconds", facts.seconds},
                  {"memory", json_memory(facts.memory)},
                  {"rows", std::move(budgets)},
                  {"recommended_token_budget", recommended}};
  return json.dump(2) + "\n";
}

}  // namespace virnucpro

#include "engine/engine_facts.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "tensor/device_advice.hpp"

namespace virnucpro {
namespace {

std::string origin_of(const BudgetPlan& plan) {
  if (plan.tokens < plan.wanted) {
    return fmt::format("{}; {} tokens did not fit", plan.is_auto ? "auto" : "--token-budget",
                       grouped(plan.wanted));
  }
  return plan.is_auto ? "auto" : "--token-budget";
}

}  // namespace

std::string plan_text(const BudgetPlan& plan) {
  std::string text =
      fmt::format("batches of {} tokens ({})", grouped(plan.tokens), origin_of(plan));
  if (plan.threads == 0) {
    return fmt::format("{}: {} of weights, {} for batches; the GPU had {} of {} free", text,
                       gib_text(plan.weights), gib_text(plan.batches), gib_text(plan.free),
                       gib_text(plan.total));
  }
  if (!plan.is_auto) return text;
  const std::string threads =
      plan.threads == 1 ? "one thread" : fmt::format("{} threads", plan.threads);
  return fmt::format("{}: each takes some seconds with {}", text, threads);
}

}  // namespace virnucpro

#include "telemetry/verdict_json.hpp"

namespace virnucpro {

Json verdicts_json(const std::vector<Verdict>& verdicts) {
  std::vector<Json> json;
  for (const Verdict& verdict : verdicts) {
    json.push_back({{"id", verdict.id},
                    {"name", verdict.name},
                    {"status", name_of(verdict.status)},
                    {"value", verdict.value},
                    {"unit", verdict.unit},
                    {"bar", verdict.bar},
                    {"detail", verdict.detail}});
  }
  return json;
}

}  // namespace virnucpro

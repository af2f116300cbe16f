#include "report/verdict_json.hpp"

#include <nlohmann/json.hpp>

namespace virnucpro {

nlohmann::ordered_json verdicts_json(const std::vector<Verdict>& verdicts) {
  using Json = nlohmann::ordered_json;
  Json json = Json::array();
  for (const Verdict& verdict : verdicts) {
    json.push_back({{"id", verdict.id},
                    {"name", verdict.name},
                    {"status", name_of(verdict.status)},
                    {"value", verdict.value ? Json(*verdict.value) : Json(nullptr)},
                    {"unit", verdict.unit},
                    {"bar", verdict.bar},
                    {"detail", verdict.detail}});
  }
  return json;
}

}  // namespace virnucpro

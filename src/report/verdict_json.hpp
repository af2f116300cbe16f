#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/verdicts.hpp"

namespace virnucpro {

// As telemetry and benchmarks have them: "id", "name", "status", "value" (null where there is
// none), "unit", "bar" and "detail" of each.
nlohmann::ordered_json verdicts_json(const std::vector<Verdict>& verdicts);

}  // namespace virnucpro

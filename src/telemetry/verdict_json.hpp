#pragma once

#include <vector>

#include "base/json_writer.hpp"
#include "telemetry/verdicts.hpp"

namespace virnucpro {

// As telemetry and benchmarks have them: "id", "name", "status", "value" (null where there is
// none), "unit", "bar" and "detail" of each.
Json verdicts_json(const std::vector<Verdict>& verdicts);

}  // namespace virnucpro

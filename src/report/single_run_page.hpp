#pragma once

#include "report/page.hpp"
#include "report/run_facts.hpp"

namespace virnucpro {

Page single_run_page(const RunFacts& facts);

}  // namespace virnucpro

// Telemetry from a run's directory: any bytes as summary, batches and metrics, made into every
// report.
#include <optional>

#include "fuzz/page_check.hpp"
#include "fuzz/target.hpp"
#include "report/compared_runs_page.hpp"
#include "report/single_run_page.hpp"
#include "telemetry/telemetry_summary.hpp"
#include "unit/memory_file.hpp"

namespace {

using virnucpro::RunFacts;
using virnucpro::fuzz::may_refuse;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const virnucpro::MemoryFile file(bytes);
  RunFacts facts;
  std::optional<virnucpro::RunTelemetry> summary;
  may_refuse([&] { summary = virnucpro::parse_run_telemetry(bytes, "fuzz"); });
  may_refuse([&] { facts.batches = virnucpro::read_batches(file.path()); });
  may_refuse([&] { facts.metrics = virnucpro::read_metrics(file.path()); });
  facts.has_summary = summary.has_value();
  facts.telemetry =
      summary ? *summary : virnucpro::telemetry_of_killed_run(facts.batches, facts.metrics);
  virnucpro::fuzz::check_page(virnucpro::single_run_page(facts));
  virnucpro::fuzz::check_page(virnucpro::compared_runs_page({facts, facts}, {{}}));
  return 0;
}

// Telemetry from a run's directory: any bytes as summary, batches and metrics, made into every
// report.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "fuzz/page_check.hpp"
#include "report/compared_runs_page.hpp"
#include "report/single_run_page.hpp"
#include "telemetry/telemetry_summary.hpp"
#include "unit/memory_file.hpp"

namespace {

using virnucpro::RunFacts;

// Bytes of another kind are refused with a typed error.
template <typename Read>
void read(const Read& read_one) {
  try {
    read_one();
  } catch (const virnucpro::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const virnucpro::MemoryFile file(bytes);
  RunFacts facts;
  std::optional<virnucpro::RunTelemetry> summary;
  read([&] { summary = virnucpro::parse_run_telemetry(bytes, "fuzz"); });
  read([&] { facts.batches = virnucpro::read_batches(file.path()); });
  read([&] { facts.metrics = virnucpro::read_metrics(file.path()); });
  facts.has_summary = summary.has_value();
  facts.telemetry =
      summary ? *summary : virnucpro::telemetry_of_killed_run(facts.batches, facts.metrics);
  virnucpro::fuzz::check_page(virnucpro::single_run_page(facts));
  virnucpro::fuzz::check_page(virnucpro::compared_runs_page({facts, facts}, {{}}));
  return 0;
}

// Telemetry from a run's directory: any bytes as summary, batches and metrics, made into every
// report. None of them may become markup.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "report/compared_runs_page.hpp"
#include "report/page_writers.hpp"
#include "report/single_run_page.hpp"
#include "telemetry/telemetry_summary.hpp"

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

std::filesystem::path file_of(const std::string& bytes) {
  static const virnucpro::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "telemetry";
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

void check(const std::string& html) {
  std::size_t scripts = 0;
  for (std::size_t at = html.find("<script"); at != std::string::npos;
       at = html.find("<script", at + 1)) {
    ++scripts;
  }
  if (scripts != 1) __builtin_trap();
  // The only control characters of a page are line ends.
  const bool plain = std::all_of(html.begin(), html.end(), [](char letter) {
    return letter == '\n' || static_cast<unsigned char>(letter) >= 0x20U;
  });
  if (!plain) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path file = file_of(bytes);
  RunFacts facts;
  std::optional<virnucpro::RunTelemetry> summary;
  read([&] { summary = virnucpro::parse_run_telemetry(bytes, "fuzz"); });
  read([&] { facts.batches = virnucpro::read_batches(file); });
  read([&] { facts.metrics = virnucpro::read_metrics(file); });
  facts.has_summary = summary.has_value();
  facts.telemetry =
      summary ? *summary : virnucpro::telemetry_of_killed_run(facts.batches, facts.metrics);
  const virnucpro::Page page = virnucpro::single_run_page(facts);
  check(virnucpro::report_html(page));
  check(virnucpro::report_html(virnucpro::compared_runs_page({facts, facts}, {{}})));
  virnucpro::report_json(page);
  virnucpro::report_markdown(page);
  return 0;
}

#include "report/write_reports.hpp"

#include <array>
#include <deque>
#include <string>

#include "base/file.hpp"
#include "report/multiqc.hpp"
#include "report/page_of_run.hpp"
#include "report/report_html.hpp"
#include "report/report_json.hpp"
#include "report/report_markdown.hpp"
#include "report/run_facts.hpp"
#include "run/kept_run.hpp"

namespace virnucpro {
namespace {

constexpr std::array kReportNames{"report.html", "report.md", "report.json", "virnucpro_mqc.json",
                                  "virnucpro_scores_mqc.tsv"};

}  // namespace

std::vector<std::filesystem::path> report_files(const std::filesystem::path& output) {
  std::vector<std::filesystem::path> files;
  for (const char* name : kReportNames) files.push_back(output / name);
  return files;
}

std::vector<std::filesystem::path> write_reports(const Journal& journal, const ReportPlaces& places,
                                                 std::optional<double> threshold) {
  const RunFacts facts = read_run_facts(journal, places.run, threshold);
  const Page page = page_of_run(facts);
  const std::array<std::string, kReportNames.size()> texts{
      report_html(page), report_markdown(page), report_json(page), multiqc_general(facts),
      multiqc_scores(facts)};
  const std::vector<std::filesystem::path> files = report_files(places.output);
  std::deque<AtomicFile> written;
  for (std::size_t k = 0; k < files.size(); ++k) {
    written.emplace_back(files[k]).write(texts[k]);
    written.back().sync();
  }
  for (AtomicFile& file : written) file.commit();
  return files;
}

std::vector<std::filesystem::path> write_reports(const std::filesystem::path& run,
                                                 std::optional<double> threshold) {
  // Each unit is checked when it is read, and all are.
  const KeptRun kept(run, Journal::Check::kQuick);
  return write_reports(kept.journal(), {.run = run, .output = run}, threshold);
}

}  // namespace virnucpro

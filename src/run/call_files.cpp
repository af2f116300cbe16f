#include "run/call_files.hpp"

#include <algorithm>

#include "journal/run_files.hpp"

namespace virnucpro {

void remove_call_files(const RunFolder& directory, bool same_calls) {
  // The page first: it shows what the others are about.
  for (const RunFile& file :
       {run_files::kReportHtml, run_files::kReportMarkdown, run_files::kReportJson,
        run_files::kMultiqcGeneral, run_files::kMultiqcCalls, run_files::kMultiqcScores,
        run_files::kMultiqcVersions, run_files::kVirusFasta, run_files::kContigTable,
        run_files::kChunkBed, run_files::kSequenceTable}) {
    // What no run wrote there is left to what is about to take its name: missing reports, for one,
    // are no error.
    if (same_calls && file.name == run_files::kVirusFasta.name) continue;
    if (has_own(directory, file)) directory.remove(file);
  }
}

bool has_own(const RunFolder& directory, const RunFile& file) {
  const auto files = directory.own_files();
  return std::ranges::any_of(files, [&file](const RunFolder::OwnFile& own) {
    return own.folder == file.folder && own.name == file.name;
  });
}

}  // namespace virnucpro

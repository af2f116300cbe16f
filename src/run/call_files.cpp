#include "run/call_files.hpp"

#include <algorithm>
#include <string>

#include "base/log.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

void remove_call_files(const RunFolder& directory, CallFiles which) {
  // Remove the HTML page first, because it shows the other files.
  for (const RunFile& file :
       {run_files::kReportHtml, run_files::kReportMarkdown, run_files::kReportJson,
        run_files::kMultiqcGeneral, run_files::kMultiqcCalls, run_files::kMultiqcScores,
        run_files::kMultiqcVersions, run_files::kVirusFasta, run_files::kContigTable,
        run_files::kChunkBed, run_files::kSequenceTable}) {
    if (which.keeps_virus_fasta && file.name == run_files::kVirusFasta.name) continue;
    if (which.keeps_contigs && file.name == run_files::kContigTable.name) continue;
    // Keep a file that no run wrote. The code that needs the name decides if the file is an error.
    if (!has_own(directory, file)) continue;
    directory.remove(file);
    const std::string path = file.in(directory.path()).string();
    if (!which.writes_contigs && file.name == run_files::kContigTable.name) {
      log_warning("{}: removed, because only the rule viral-ngs writes it", path);
    } else {
      log_info("removed {}", path);
    }
  }
}

bool has_own(const RunFolder& directory, const RunFile& file) {
  const auto files = directory.own_files();
  return std::ranges::any_of(files, [&file](const RunFolder::OwnFile& own) {
    return own.folder == file.folder && own.name == file.name;
  });
}

}  // namespace virnucpro

#include "run/earlier_run.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

std::unique_ptr<KeptRun> earlier_run(const std::filesystem::path& output, Existing existing,
                                     const Cancel& cancel) {
  if (existing == Existing::kRefuse || !is_there(run_files::kJournal.in(output))) return nullptr;
  constexpr std::array kToldLater{ErrorKind::kJournalDamaged, ErrorKind::kJournalMismatch,
                                  ErrorKind::kInputMissing, ErrorKind::kOutputBusy};
  try {
    return std::make_unique<KeptRun>(output, cancel, Journal::Check::kHead);
  } catch (const Error& error) {
    if (std::ranges::find(kToldLater, error.kind()) == kToldLater.end()) throw;
    return nullptr;
  }
}

}  // namespace virnucpro

#include "run/earlier_run.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

std::unique_ptr<KeptRun> earlier_run(const std::filesystem::path& output, Existing existing,
                                     const Cancel& cancel) {
  if (existing == Existing::kRefuse || !is_there(run_files::kJournal.in(output))) return nullptr;
  try {
    return std::make_unique<KeptRun>(output, cancel, Journal::Check::kHead);
  } catch (const Error& error) {
    const bool is_held = error.kind() == ErrorKind::kOutputBusy;
    const bool is_missing = error.kind() == ErrorKind::kInputMissing;
    if (!error.is(ErrorClass::kJournal) && !is_missing && !is_held) throw;
    return nullptr;
  }
}

}  // namespace virnucpro

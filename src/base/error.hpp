#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace virnucpro {

// The kinds of errors of the program. The table in error.cpp has each kind's name, exit code,
// classes, message and remedy; no other code decides the exit code of an error.
enum class ErrorKind : std::uint8_t {
  kUsage,
  kConfig,
  kNoQualities,
  kInputMissing,
  kInputRead,
  kInputFormat,
  kInputTruncated,
  kInputCorrupt,
  kInputChanged,
  kInputMalformed,
  kInputTooLong,
  kInputRna,
  kInputReference,
  kWeightsMissing,
  kWeightsRead,
  kWeightsChanged,
  kWeightsFormat,
  kWeightsTruncated,
  kWeightsCorrupt,
  kWeightsTensor,
  kWeightsNotFinite,
  kPickleForbidden,
  kPickleTooLarge,
  kJson,
  kTokenizer,
  kDevice,
  kPrecision,
  kCalibration,
  kCutOffs,
  kDeviceFailed,
  kWorkersLost,
  kCpu,
  kOutputExists,
  kOutputWrite,
  kOutputBusy,
  kTemporaryFolder,
  kNetwork,
  kDownloadMismatch,
  kNoSpace,
  kJournalDamaged,
  kJournalMismatch,
  kShards,
  kNotFinite,
  kRequirementMissed,
  kRegression,
  kBenchmark,
  kNotJudged,
  kNotComparable,
  kOutOfMemory,
  kTooManyFiles,
  kInternal,
  kInterrupted,
  kTerminated,
};

// Properties that several kinds share. Code that treats these kinds alike asks for the class, so
// the row of a new kind decides how it is treated. A kind may be in several classes.
enum class ErrorClass : std::uint8_t {
  // An error of this class that occurs while an input is read concerns only that input: the run
  // can continue with the others. Any other error (no memory, a signal) ends the run.
  kOneInput,
  kFile,           // a file that was read is at fault, not this machine or the command line
  kDamage,         // the input could be read, but its bytes are wrong
  kOutput,         // a file cannot be written
  kJournal,        // the journal is refused; some commands may start over without it
  kServer,         // another server may give the right file
  kStop,           // the user or the system stopped the program
  kResumable,      // predict --resume can continue the run
  kAdvisesResume,  // the remedy says to resume; replace it if nothing can be resumed
  kGeneralRemedy,  // the remedy fits a file of any kind
};

struct ErrorInfo {
  ErrorKind kind;
  std::string_view name;     // never changes, for scripts: "input-truncated"
  int exit_code;             // the program's exit code
  unsigned classes;          // a bit for each ErrorClass
  std::string_view summary;  // what happened, in a few words
  std::string_view remedy;   // what the user can do

  constexpr bool is(ErrorClass one) const { return (classes & 1U << static_cast<int>(one)) != 0; }
};

std::span<const ErrorInfo> error_table();
const ErrorInfo& error_info(ErrorKind kind);

// Exit codes that a command returns when it throws no Error; ErrorInfo has the codes of errors.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailure =
    1;  // a checked input or model is bad; most errors have this code, too
inline constexpr int kExitPartial = 2;

// The meaning of an exit code, for help and documentation.
struct ExitCode {
  int code;
  std::string_view meaning;
};
// Returns every exit code of the program, in ascending order, with the meaning that it has in most
// commands. Commands have other meanings in Command::exit_codes.
std::span<const ExitCode> exit_codes();

// Where an error occurred; unknown fields are empty.
struct Place {
  std::string file{};
  std::optional<std::uint64_t> record{};  // the record's number in the file, from 1
  std::optional<std::uint64_t> offset{};  // in bytes, after decompression
  std::string tensor{};
};

// The only exception that the program's own code throws. what() is one sentence: "reads.fq.gz:
// record 12, byte 3456: input ends too early: gzip stream is cut".
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string detail);
  Error(ErrorKind kind, Place place, std::string detail);

  const char* what() const noexcept override { return message_.c_str(); }
  ErrorKind kind() const noexcept { return kind_; }
  const Place& place() const noexcept { return place_; }
  const std::string& detail() const noexcept { return detail_; }
  const ErrorInfo& info() const noexcept { return error_info(kind_); }
  bool is(ErrorClass one) const noexcept { return info().is(one); }

  // Returns the user's next step: the table's remedy, unless advise() gave a better one.
  std::string_view remedy() const noexcept;
  bool has_usual_remedy() const noexcept { return remedy() == info().remedy; }
  void advise(std::string remedy) { remedy_ = std::move(remedy); }
  Error advised(std::string remedy) && {
    advise(std::move(remedy));
    return std::move(*this);
  }

  // Returns this error with another place and detail, such as a file instead of one of its parts.
  // Keeps the byte offset, if known, and the remedy.
  Error placed(Place place, std::string detail) const;

 private:
  ErrorKind kind_;
  Place place_;
  std::string detail_;
  std::string message_;
  std::string remedy_{};
};

// Converts an exception to an Error. An Error stays as it is. A lack of memory or threads becomes
// kOutOfMemory, a lack of descriptors kTooManyFiles, a failed disk or network kInputRead. Anything
// else becomes kInternal.
Error error_of(const std::exception& exception);

// Calls work(). If that throws an error of this kind, replaces the error's remedy, because the
// table's remedy does not fit the caller.
template <typename Work>
auto with_remedy(ErrorKind kind, const std::string& remedy, Work work) {
  try {
    return work();
  } catch (const std::exception& exception) {
    Error error = error_of(exception);
    if (error.kind() != kind) throw;
    throw std::move(error).advised(remedy);
  }
}

// Returns the error kind for errno `error` of a system call. A lack of memory or descriptors is
// kOutOfMemory or kTooManyFiles, because the file is not at fault. Otherwise returns `otherwise`.
ErrorKind kind_of_failure(int error, ErrorKind otherwise);

// Like kind_of_failure(), for a failed open or read: kInputRead if the disk or network failed.
ErrorKind kind_of_reading(int error, ErrorKind otherwise = ErrorKind::kInputMissing);

}  // namespace virnucpro

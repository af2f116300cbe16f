#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace virnucpro {

// Every way in which the program can fail. The table in error.cpp gives each kind its name, exit
// code, message and remedy; nothing else decides an exit code.
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

// One row of the table of errors.
struct ErrorInfo {
  ErrorKind kind;
  std::string_view name;     // stable, for scripts and documentation: "input-truncated"
  int exit_code;             // the program's exit code
  std::string_view summary;  // what happened, in a few words
  std::string_view remedy;   // what the user can do
};

std::span<const ErrorInfo> error_table();
const ErrorInfo& error_info(ErrorKind kind);

// True if an error in reading an input concerns that input alone, so that the run can go on with
// the others. Any other error (no memory, no temporary folder, a signal) ends the run.
bool is_of_an_input(ErrorKind kind);
// True if a run that ends with this error can be resumed.
bool is_resumable(ErrorKind kind);

// Exit codes of results that are not an Error.
inline constexpr int kExitDone = 0;
inline constexpr int kExitDiffers = 1;  // compare found rows that differ
inline constexpr int kExitBad = 1;      // validate found an input, or checkpoint, that is damaged
inline constexpr int kExitPartial = 2;
inline constexpr int kExitRefused = 3;  // validate-checkpoints: no checkpoint, or it cannot be read

// The meaning of an exit code, for help and documentation.
struct ExitCode {
  int code;
  std::string_view meaning;
};
// Returns every exit code of the program, in ascending order.
std::span<const ExitCode> exit_codes();

// The place of an error; unknown fields stay empty.
struct Place {
  std::string file{};
  std::optional<std::uint64_t> record{};  // 1-based, within the file
  std::optional<std::uint64_t> offset{};  // bytes; in the decompressed text of a sequence file
  std::string tensor{};
};

// The only exception the program throws on purpose. what() is one sentence:
// "reads.fq.gz: record 12, byte 3456: input ends too early: gzip stream is cut".
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string detail);
  Error(ErrorKind kind, Place place, std::string detail);

  const char* what() const noexcept override { return message_.c_str(); }
  ErrorKind kind() const noexcept { return kind_; }
  const Place& place() const noexcept { return place_; }
  const std::string& detail() const noexcept { return detail_; }
  const ErrorInfo& info() const noexcept { return error_info(kind_); }

  // Returns the user's next step: the table's remedy, unless advise() gave a better one.
  std::string_view remedy() const noexcept;
  void advise(std::string remedy) { remedy_ = std::move(remedy); }

 private:
  ErrorKind kind_;
  Place place_;
  std::string detail_;
  std::string message_;
  std::string remedy_{};
};

// Turns an exception into an Error: an Error stays as it is, a lack of memory or threads becomes
// kOutOfMemory, a lack of descriptors kTooManyFiles, a failed disk or network kInputRead, and
// anything else kInternal.
Error error_of(const std::exception& exception);

// Returns the kind of a system call's errno: kOutOfMemory or kTooManyFiles for a lack of memory or
// descriptors, because the file is not at fault; else `otherwise`.
ErrorKind kind_of_failure(int error, ErrorKind otherwise);

// Like kind_of_failure(), for a failed open or read: kInputRead if the disk or network failed.
ErrorKind kind_of_reading(int error, ErrorKind otherwise = ErrorKind::kInputMissing);

}  // namespace virnucpro

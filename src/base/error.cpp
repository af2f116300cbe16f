#include "base/error.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace virnucpro {
namespace {

using enum ErrorKind;
using enum ErrorClass;

constexpr unsigned kNone = 0;

template <typename... Class>
constexpr unsigned of(Class... classes) {
  return (kNone | ... | (1U << static_cast<unsigned>(classes)));
}

// Rows are in ErrorKind's order, because error_info() indexes the table; a test checks this.
constexpr auto kTable = std::to_array<ErrorInfo>({
    {kUsage, "usage", 1, of(kOneInput), "the command line cannot be used",
     "See the help of the command: virnucpro COMMAND --help."},
    {kConfig, "config", 1, kNone, "the configuration cannot be used",
     "Correct the configuration file; virnucpro utils generate-config writes one with every key."},
    {kNoQualities, "no-qualities", 1, kNone, "a read has no qualities, which --virus-fastq needs",
     "Leave out --virus-fastq or this input; --virus-fasta needs no qualities."},
    {kInputMissing, "input-missing", 1, of(kOneInput, kFile, kGeneralRemedy), "input not found",
     "Check the path, and that you may read the file."},
    {kInputRead, "input-read", 1, of(kOneInput, kFile, kGeneralRemedy), "input cannot be read",
     "Check the file's disk or network, then run again."},
    {kInputFormat, "input-format", 1, of(kOneInput, kFile, kDamage), "input format is not known",
     "Give FASTA or FASTQ (plain, gzip or BGZF), BAM, SAM or CRAM."},
    {kInputTruncated, "input-truncated", 1, of(kOneInput, kFile, kDamage, kGeneralRemedy),
     "input ends too early", "Copy or download the file again; compare its size with the source."},
    {kInputCorrupt, "input-corrupt", 1, of(kOneInput, kFile, kDamage),
     "compressed input is damaged",
     "Copy or download the file again. gzip -t tests it (CRAM: samtools view FILE >/dev/null)."},
    {kInputChanged, "input-changed", 1, of(kOneInput, kFile), "input changed during the run",
     "Do not change an input during a run. Run again with --force."},
    {kInputMalformed, "input-malformed", 1, of(kOneInput, kFile, kDamage),
     "input is not well formed",
     "Correct or remove the named record; virnucpro utils validate finds further errors."},
    {kInputTooLong, "input-too-long", 1, of(kOneInput, kFile, kDamage), "a sequence is too long",
     "Split it: a sequence may have at most 2,147,483,647 bases."},
    {kInputRna, "input-rna", 1, of(kOneInput, kFile), "the input is RNA",
     "Run the RNA inputs by themselves, with --rna and another --output. With --no-rna, as in the "
     "original VirNucPro, codons with U are dropped, so no frame has a stop codon, and the scores "
     "mean nothing."},
    {kInputReference, "input-reference", 1, of(kOneInput, kFile), "the reference cannot be used",
     "Give the FASTA file that the CRAM was made with: --reference FILE. It is not downloaded."},
    {kWeightsMissing, "weights-missing", 1, of(kFile), "model not found",
     "Give a path, a published name (virnucpro download --list) or a synthetic model "
     "(synthetic:NAME)."},
    {kWeightsRead, "weights-read", 1, of(kFile, kGeneralRemedy), "model file cannot be read",
     "Check the file's disk or network, then run again."},
    {kWeightsChanged, "weights-changed", 1, of(kFile), "model file changed while it was read",
     "Do not change the model's files while a run loads them. Run again."},
    {kWeightsFormat, "weights-format", 1, of(kFile), "model file cannot be understood",
     "Give safetensors, a torch zip file, or a Hugging Face directory. If it already is one of "
     "these, it is damaged: get it again."},
    {kWeightsTruncated, "weights-truncated", 1, of(kFile), "model file ends too early",
     "Get it again (virnucpro download); compare its size with the source."},
    {kWeightsCorrupt, "weights-corrupt", 1, of(kFile), "model file is damaged",
     "Get it again (virnucpro download); compare its hash with the source."},
    {kWeightsTensor, "weights-tensor", 1, of(kFile), "model does not have the expected tensors",
     "Check that the file is the model that was asked for: virnucpro utils inspect FILE."},
    {kWeightsNotFinite, "weights-not-finite", 1, of(kFile), "model holds NaN or infinite numbers",
     "Get it again (virnucpro download); these weights cannot give a score."},
    {kPickleForbidden, "pickle-forbidden", 1, of(kFile), "pickle contains code, not only data",
     "None of it was executed. Get the file from its publisher, or as safetensors."},
    {kPickleTooLarge, "pickle-too-large", 1, of(kFile), "pickle is larger than the limit",
     "Get the file as safetensors, or save its numbers as tensors, not as lists."},
    {kJson, "json", 1, of(kFile, kGeneralRemedy), "JSON cannot be read",
     "Correct or download the file again."},
    {kTokenizer, "tokenizer", 1, kNone, "tokenizer cannot be used",
     "Give the tokenizer.json published with DNABERT-S: virnucpro download dnabert-s."},
    {kDevice, "device", 1, kNone, "device is not available",
     "See virnucpro utils list-devices, or run with --device cpu."},
    {kPrecision, "precision", 1, kNone, "the device does not compute in this precision",
     "Choose another --precision (auto takes one that runs here), or another --device."},
    {kCalibration, "calibration", 1, kNone, "the calibration cannot be used",
     "Make a calibration for these models and this precision (virnucpro calibrate --help). A "
     "calibration in the cache may be removed: the next run makes a new one."},
    {kCutOffs, "cut-offs", 1, kNone, "the cut-offs cannot be used",
     "Make them from runs of the same models and settings (virnucpro evaluate --help), or leave "
     "--cutoff out."},
    {kDeviceFailed, "device-failed", 1, of(kResumable), "the device failed while it computed",
     "Run again; if it fails again, use another device. dmesg and nvidia-smi -q may show why."},
    {kWorkersLost, "workers-lost", 1, of(kResumable, kAdvisesResume),
     "every worker process was lost",
     "All results so far are kept. Find the cause of each loss in the log, then continue with "
     "predict --resume; virnucpro export writes the tables of the results so far."},
    {kCpu, "cpu", 1, kNone, "this processor lacks instructions",
     "Run virnucpro on a machine whose processor has AVX2 and FMA (2013 or newer)."},
    {kOutputExists, "output-exists", 1, of(kOutput), "output is there already",
     "Choose another output (--output); --force replaces the file, or this program's files in the "
     "directory; --resume of predict or merge continues an interrupted run."},
    {kOutputWrite, "output-write", 1, of(kOutput, kResumable), "output cannot be written",
     "Solve that problem, then run the command again (predict with --resume), or choose another "
     "--output; an incomplete file never has its final name."},
    {kOutputBusy, "output-busy", 3, kNone, "another run is using the output directory",
     "Wait for it, or choose another --output."},
    {kTemporaryFolder, "temporary-folder", 1, kNone, "the temporary folder cannot be used",
     "Set TMPDIR to a folder with free space that can be written."},
    {kNetwork, "network", 1, of(kServer), "a file could not be fetched",
     "Run the command again: it continues where it stopped. virnucpro download --help explains "
     "proxies and mirrors; --print-urls lists the files to carry to a machine without a network."},
    {kDownloadMismatch, "download-mismatch", 1, of(kServer), "it is not the published file",
     "It was not installed. Download it again, or from another server. If the publisher has "
     "changed the file, give its new hash (--sha256) or a new table (--manifest)."},
    {kNoSpace, "no-space", 1, of(kOutput), "there is not enough free space",
     "Free space, or choose another folder with --models-dir."},
    {kJournalDamaged, "journal-damaged", 3, of(kJournal), "the run's journal is damaged",
     "The run must be computed again: run predict (or merge) for this directory with "
     "--force-resume or, if its input is a pipe, with --force."},
    {kJournalMismatch, "journal-mismatch", 3, of(kJournal), "the journal belongs to another run",
     "Give the inputs and settings of that run, or start over with --force-resume or, if the input "
     "is a pipe, with --force."},
    {kShards, "shards", 3, kNone, "the shards do not make one run",
     "Run missing and unfinished shards (predict --shard I/N --resume), leave out shards of other "
     "runs, then merge again."},
    {kNotFinite, "not-finite", 1, kNone, "a model gave NaN or infinite numbers",
     "Check the weights (virnucpro utils inspect FILE), or use --precision fp32."},
    {kRequirementMissed, "requirement-missed", 1, kNone, "a requirement was missed",
     "All files are written. If something slowed the run down, its report and its telemetry "
     "(\"bottlenecks\") say what. Without --strict this is only a warning."},
    {kRegression, "regression", 1, kNone, "results are worse than those they were compared with",
     "All files are written; the report names the figures. Compare again on a machine that does "
     "nothing else."},
    {kBenchmark, "benchmark", 2, kNone, "a part of the benchmark could not be run",
     "The other parts were run. See the failed part's log, beside the reports, and run that part "
     "again."},
    {kNotJudged, "not-judged", 2, kNone, "a requirement was not judged",
     "The report says why, for each row. Name the suites that this machine can judge (--suite), or "
     "supply what the report says is missing."},
    {kNotComparable, "not-comparable", 2, kNone, "could not compare",
     "Give two results of the same kind: output directories, tables, or files of embeddings."},
    {kOutOfMemory, "out-of-memory", 4, of(kResumable), "out of memory",
     "Use a smaller --token-budget or fewer threads, or ask for more memory."},
    {kTooManyFiles, "too-many-files", 1, of(kResumable), "too many files are open",
     "Raise the limit (ulimit -n) or use fewer --cpu-workers, then run the command again (predict "
     "with --resume)."},
    {kInternal, "internal", 1, kNone, "this is a bug",
     "Please report it with the command line and the log."},
    {kInterrupted, "interrupted", 130, of(kStop, kResumable, kAdvisesResume), "interrupted",
     "Run the command again; predict --resume continues the run."},
    {kTerminated, "terminated", 143, of(kStop, kResumable, kAdvisesResume), "terminated",
     "Run the command again; predict --resume continues the run."},
});

constexpr std::array kExitCodes{
    ExitCode{kExitDone, "done"},
    ExitCode{kExitFailure, "failure or bad usage, as the message says"},
    ExitCode{kExitPartial, "partial results: see failed_inputs.txt and sequences.tsv"},
    ExitCode{3, "the output directory is in use, or its journal is refused or damaged"},
    ExitCode{4, "out of memory"},
    ExitCode{130, "interrupted (SIGINT)"},
    ExitCode{143, "terminated (SIGTERM, SIGHUP)"},
};

// Cuts text and makes it printable: text from a file may be very long, and a NUL would end what().
std::string message_text(std::string_view text) {
  constexpr std::size_t kLongest = 2048;
  if (text.size() <= kLongest) return printable(text);
  std::size_t size = kLongest;
  while (size > 0 && !begins_letter(text[size])) --size;
  return printable(text.substr(0, size)) + "…";
}

std::string describe(const Place& place) {
  std::string text = message_text(place.file);
  const auto add = [&text](const std::string& part, const char* separator) {
    if (!text.empty()) text += separator;
    text += part;
  };
  if (!place.tensor.empty()) add(fmt::format("tensor {}", message_text(place.tensor)), ": ");
  if (place.record) add(fmt::format("record {}", *place.record), ": ");
  if (place.offset) add(fmt::format("byte {}", *place.offset), place.record ? ", " : ": ");
  return text;
}

std::string compose(ErrorKind kind, const Place& place, const std::string& detail) {
  std::string text = describe(place);
  if (!text.empty()) text += ": ";
  text += error_info(kind).summary;
  // merge lists all bad shards, perhaps thousands, so the text of kShards is not cut.
  const bool is_list = kind == ErrorKind::kShards;
  if (!detail.empty()) text += ": " + (is_list ? printable(detail) : message_text(detail));
  return text;
}

}  // namespace

std::span<const ErrorInfo> error_table() {
  return kTable;
}

const ErrorInfo& error_info(ErrorKind kind) {
  return kTable.at(static_cast<std::size_t>(kind));
}

std::span<const ExitCode> exit_codes() {
  return kExitCodes;
}

Error::Error(ErrorKind kind, std::string detail) : Error(kind, Place{}, std::move(detail)) {}

Error::Error(ErrorKind kind, Place place, std::string detail)
    : kind_(kind),
      place_(std::move(place)),
      detail_(std::move(detail)),
      message_(compose(kind_, place_, detail_)) {}

std::string_view Error::remedy() const noexcept {
  return remedy_.empty() ? info().remedy : std::string_view(remedy_);
}

Error Error::placed(Place place, std::string detail) const {
  if (place_.offset) place.offset = place_.offset;
  Error whole(kind_, std::move(place), std::move(detail));
  whole.remedy_ = remedy_;
  return whole;
}

Error error_of(const std::exception& exception) {
  const auto* own = dynamic_cast<const Error*>(&exception);
  if (own != nullptr) return *own;
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return Error(ErrorKind::kOutOfMemory, "");
  }
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  if (system == nullptr) return Error(ErrorKind::kInternal, exception.what());
  // std::thread throws this code if the system cannot start a thread.
  if (system->code() == std::errc::resource_unavailable_try_again) {
    return Error(ErrorKind::kOutOfMemory,
                 fmt::format("the system cannot start another thread: {}", system->what()));
  }
  const int number = system->code().default_error_condition().value();
  return Error(kind_of_reading(number, ErrorKind::kInternal), exception.what());
}

ErrorKind kind_of_failure(int error, ErrorKind otherwise) {
  switch (error) {
    case ENOMEM:
      return ErrorKind::kOutOfMemory;
    case EMFILE:
    case ENFILE:
      return ErrorKind::kTooManyFiles;
    default:
      return otherwise;
  }
}

ErrorKind kind_of_reading(int error, ErrorKind otherwise) {
  switch (error) {
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
      return ErrorKind::kInputRead;
    default:
      return kind_of_failure(error, otherwise);
  }
}

}  // namespace virnucpro

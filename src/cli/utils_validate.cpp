#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sequence_report.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {
namespace {

constexpr const char* kUtilsValidateExamples =
    "Examples:\n"
    "  virnucpro utils validate reads.fq.gz contigs.fa\n"
    "Exit code 1 when an input is damaged, missing, or RNA.";

constexpr std::uint64_t kMostErrors = 1'000'000'000;

// Reads the inputs event by event and reports how each ended.
class Validation {
 public:
  // Describes the first `most_errors` inputs that are damaged or missing, and counts the others.
  Validation(const InputSet& inputs, std::uint64_t most_errors)
      : inputs_(inputs), most_errors_(most_errors) {}

  void add(const InputRecord& record) {
    statistics_.add(record, ids_.add(record.id, record.input));
  }
  void add(const InputEnd& end) {
    statistics_.skipped = end.skipped;
    finish(end.input, "whole", true);
  }
  void add(const InputFailure& failure) {
    if (++failures_ > most_errors_) {
      statistics_ = {};
      return;
    }
    const ErrorKind kind = failure.error.kind();
    finish(failure.input, fmt::format("{}: {}", verdict(kind), printable(failure.error.what())),
           kind != ErrorKind::kInputMissing);
  }

  bool failed() const { return failures_ > 0; }
  std::uint64_t not_told() const { return failures_ - std::min(failures_, most_errors_); }
  bool all_ids_compared() const { return !ids_.overflowed(); }

 private:
  static std::string_view verdict(ErrorKind failure) {
    if (failure == ErrorKind::kInputMissing) return "missing";
    return failure == ErrorKind::kInputRna ? "RNA" : "DAMAGED";
  }

  void finish(std::uint32_t input, const std::string& verdict, bool was_read) {
    std::string text = fmt::format("{}: {}\n", printable(inputs_.name(input)), verdict);
    if (was_read) {
      for (const std::string& line : statistics_.lines()) text += line + "\n";
    }
    print_stdout(text);
    statistics_ = {};
  }

  const InputSet& inputs_;
  SequenceStatistics statistics_;
  SeenIds ids_;
  std::uint64_t most_errors_;
  std::uint64_t failures_ = 0;
};

struct ValidateOptions {
  InputOptions inputs;
  std::string most_errors;
};

int run_validate(const ValidateOptions& options, const Session& session) {
  const std::uint64_t most_errors =
      options.most_errors.empty()
          ? kMostErrors
          : count_value("--max-errors", options.most_errors, 0, kMostErrors);
  InputSettings settings = choose_inputs(options.inputs, session.config);
  settings.headers = Headers::kIdAlone;
  InputSet inputs(std::move(settings), session.cancel);
  Validation validation(inputs, most_errors);
  while (const auto event = inputs.next()) {
    session.cancel.check();
    std::visit([&validation](const auto& what) { validation.add(what); }, *event);
  }
  if (!validation.all_ids_compared()) {
    log_warning("duplicates were looked for among the first {} ids only", grouped(SeenIds::kMost));
  }
  if (const std::uint64_t others = validation.not_told(); others > 0) {
    print_stdout(
        fmt::format("{} more inputs are damaged or missing (--max-errors)\n", grouped(others)));
  }
  return validation.failed() ? kExitBad : kExitDone;
}

}  // namespace

void add_validate_command(Command& utils) {
  Command& command = utils.add_command("validate", "Read inputs to their end and describe them");
  const auto options = std::make_shared<ValidateOptions>();
  add_input_options(command, options->inputs);
  command.add_value("-e,--max-errors", options->most_errors,
                    "Describe at most N damaged or missing inputs, and count the others (default: "
                    "all)",
                    "N");
  command.footer = kUtilsValidateExamples;
  command.action = [options](Session& session) { return run_validate(*options, session); };
}

}  // namespace virnucpro

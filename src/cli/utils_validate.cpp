#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/config.hpp"
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
    "Exit code 1 when an input is damaged, missing, RNA or without sequences, or when a sequence "
    "is empty, has letters outside IUPAC, or the id of another sequence in the input.";

constexpr std::uint64_t kMostErrors = 1'000'000'000;
constexpr std::uint64_t kMostBadSequences = 10;  // per input, if no flag says otherwise
constexpr std::string_view kPercentKey = "validation.max_ambiguous_percent";

struct ValidationRules {
  bool check_duplicate_ids = true;
  bool warn_of_ambiguous = true;
  double most_ambiguous_percent = 5;
  std::uint64_t most_inputs = kMostErrors;           // most inputs whose damage is described
  std::uint64_t most_sequences = kMostBadSequences;  // most bad sequences that are named, per input
};

// Reports the findings on each input. The command checks whether a file is correct, not whether
// predict can read it. So, as in v2, some findings are failures although predict only counts them
// or warns of them. --max-errors limits only what is printed, and does not affect the exit code.
class Validation {
 public:
  Validation(const InputSet& inputs, const ValidationRules& rules)
      : inputs_(inputs), rules_(rules) {}

  void add(const InputRecord& record) {
    const SeenId seen = ids_.add(record.id, record.input);
    const std::uint64_t bad = statistics_.bad();
    statistics_.add(record, seen, rules_.most_ambiguous_percent);
    // name_if_bad() examines the letters again, but few sequences are bad.
    if (statistics_.bad() > bad && named_ < rules_.most_sequences) name_if_bad(record, seen);
  }
  void add(const InputEnd& end) {
    statistics_.skipped = end.skipped;
    const std::string problems = statistics_.problems(rules_.check_duplicate_ids);
    if (!problems.empty()) has_invalid_ = true;
    warn_of_ambiguous(end.input);
    finish(end.input, problems.empty() ? "whole" : "NOT VALID: " + problems, true);
  }
  void add(const InputFailure& failure) {
    if (++failures_ > rules_.most_inputs) {
      statistics_ = {};
      named_ = 0;
      return;
    }
    const ErrorKind kind = failure.error.kind();
    finish(failure.input, fmt::format("{}: {}", verdict(kind), printable(failure.error.what())),
           kind != ErrorKind::kInputMissing);
  }

  bool failed() const { return failures_ > 0 || has_invalid_; }
  std::uint64_t not_told() const { return failures_ - std::min(failures_, rules_.most_inputs); }
  bool all_ids_compared() const { return !ids_.overflowed(); }

 private:
  static std::string_view verdict(ErrorKind failure) {
    if (failure == ErrorKind::kInputMissing) return "missing";
    return failure == ErrorKind::kInputRna ? "RNA" : "DAMAGED";
  }

  void name_if_bad(const InputRecord& record, SeenId seen) {
    const std::string problem = bad_sequence(record, seen, rules_.check_duplicate_ids);
    if (problem.empty()) return;
    ++named_;
    print_stdout(fmt::format("{}: {}: {}\n", printable(inputs_.name(record.input)),
                             printable(record.id), printable(problem)));
  }

  void warn_of_ambiguous(std::uint32_t input) const {
    if (!rules_.warn_of_ambiguous || statistics_.too_ambiguous == 0) return;
    log_warning("{}: sequences with more than {:g} % ambiguous bases: {} (limit: {})",
                inputs_.name(input), rules_.most_ambiguous_percent,
                grouped(statistics_.too_ambiguous), kPercentKey);
  }

  void finish(std::uint32_t input, const std::string& verdict, bool was_read) {
    std::string text = fmt::format("{}: {}\n", printable(inputs_.name(input)), verdict);
    if (was_read) {
      for (const std::string& line : statistics_.lines()) text += line + "\n";
    }
    print_stdout(text);
    statistics_ = {};
    named_ = 0;
  }

  const InputSet& inputs_;
  ValidationRules rules_;
  SequenceStatistics statistics_;
  SeenIds ids_;
  std::uint64_t named_ = 0;     // bad sequences of this input that were named
  std::uint64_t failures_ = 0;  // number of damaged or missing inputs
  bool has_invalid_ = false;
};

struct ValidateOptions {
  InputOptions inputs;
  std::string most_errors;
};

ValidationRules choose_rules(const std::string& most_errors, const Config& config) {
  ValidationRules rules;
  rules.check_duplicate_ids = config.flag("validation.check_duplicate_ids").value_or(true);
  rules.warn_of_ambiguous = config.flag("validation.warn_ambiguous_bases").value_or(true);
  rules.most_ambiguous_percent =
      config.number_in(kPercentKey, rules.most_ambiguous_percent, 0, 100);
  if (most_errors.empty()) return rules;
  rules.most_inputs = count_value("--max-errors", most_errors, 0, kMostErrors);
  rules.most_sequences = rules.most_inputs;
  return rules;
}

int run_validate(const ValidateOptions& options, const Session& session) {
  const ValidationRules rules = choose_rules(options.most_errors, session.config);
  InputSettings settings = choose_inputs(options.inputs, session.config);
  settings.headers = Headers::kIdAlone;
  InputSet inputs(std::move(settings), session.cancel);
  Validation validation(inputs, rules);
  while (const auto event = inputs.next()) {
    session.cancel.check();
    std::visit([&validation](const auto& what) { validation.add(what); }, *event);
  }
  if (!validation.all_ids_compared()) {
    log_warning("duplicate ids were looked for among the first {} ids only",
                grouped(SeenIds::kMost));
  }
  if (const std::uint64_t others = validation.not_told(); others > 0) {
    print_stdout(fmt::format("{} more inputs are damaged or missing (limit: --max-errors)\n",
                             grouped(others)));
  }
  return validation.failed() ? kExitFailure : kExitDone;
}

}  // namespace

void add_validate_command(Command& utils) {
  Command& command = utils.add_command("validate", "Read inputs to their end and describe them");
  const auto options = std::make_shared<ValidateOptions>();
  add_input_options(command, options->inputs);
  command.add_value("-e,--max-errors", options->most_errors,
                    "Describe at most N damaged or missing inputs (default: all), and name N bad "
                    "sequences of each input (default: 10); the others are counted",
                    "N");
  command.footer = kUtilsValidateExamples;
  command.action = [options](Session& session) { return run_validate(*options, session); };
}

}  // namespace virnucpro

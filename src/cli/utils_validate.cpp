#include <fmt/format.h>

#include <memory>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/output.hpp"
#include "cli/sequence_report.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {
namespace {

constexpr const char* kUtilsValidateExamples =
    "Examples:\n"
    "  virnucpro utils validate reads.fq.gz contigs.fa\n"
    "Exit code 1 when an input is damaged or missing.";

// Reads the inputs event by event and reports how each ended.
class Validation {
 public:
  explicit Validation(const InputSet& inputs) : inputs_(inputs) {}

  void add(const InputRecord& record) {
    statistics_.add(record, ids_.add(record.id, record.input));
  }
  void add(const InputEnd& end) {
    statistics_.skipped = end.skipped;
    finish(end.input, "whole", true);
  }
  void add(const InputFailure& failure) {
    failed_ = true;
    const bool missing = failure.error.kind() == ErrorKind::kInputMissing;
    finish(failure.input,
           fmt::format("{}: {}", missing ? "missing" : "DAMAGED", printable(failure.error.what())),
           !missing);
  }

  bool failed() const { return failed_; }
  bool all_ids_compared() const { return !ids_.overflowed(); }

 private:
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
  bool failed_ = false;
};

int run_validate(const InputOptions& options, const Session& session) {
  InputSet inputs(choose_inputs(options), session.cancel);
  Validation validation(inputs);
  while (const auto event = inputs.next()) {
    session.cancel.check();
    std::visit([&validation](const auto& what) { validation.add(what); }, *event);
  }
  if (!validation.all_ids_compared()) {
    log_warning("duplicates were looked for among the first {} ids only", grouped(SeenIds::kMost));
  }
  return validation.failed() ? 1 : kExitDone;
}

}  // namespace

void add_validate_command(Command& utils) {
  Command& command = utils.add_command("validate", "Read inputs to their end and describe them");
  const auto options = std::make_shared<InputOptions>();
  add_input_options(command, *options);
  command.footer = kUtilsValidateExamples;
  command.action = [options](Session& session) { return run_validate(*options, session); };
}

}  // namespace virnucpro

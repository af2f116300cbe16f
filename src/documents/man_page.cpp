#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/compatibility.hpp"
#include "cli/environment.hpp"
#include "documents/documents.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {
namespace {

// Removes the first line from `text` and returns it.
std::string_view split_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string item(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", term, text);
}

std::string option_term(const OptionRow& option) {
  std::string text;
  for (const std::string& name : option.names) {
    if (!text.empty()) text += ", ";
    text += fmt::format("\\fB{}\\fR", roff(name));
  }
  if (option.takes_value() && !option.is_argument())
    text += fmt::format(" \\fI{}\\fR", roff(option.shown_value()));
  if (option.repeats()) text += " ...";
  return text;
}

std::string synopsis(const Command& command) {
  std::string text = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", roff(command.path));
  if (!command.commands.empty()) text += " \\fICOMMAND\\fR";
  for (const OptionRow& argument : command.arguments) {
    const std::string word =
        fmt::format("\\fI{}\\fR{}", roff(argument.names.front()), argument.repeats() ? "..." : "");
    text += argument.required ? " " + word : " [" + word + "]";
  }
  return text + "\n";
}

void add_option(std::string& text, const OptionRow& option) {
  const std::string required = option.required ? " (required)" : "";
  text += item(option_term(option), roff(option.whole_text()) + required);
}

// Begins a paragraph, except after a heading, where roff begins a paragraph anyway.
void begin_paragraph(std::string& text) {
  const std::size_t last_line = text.rfind('\n', text.size() - 2) + 1;
  if (!std::string_view(text).substr(last_line).starts_with(".S")) text += ".PP\n";
}

void add_options(std::string& text, const Command& command) {
  for (const RowGroup& group : command.groups()) {
    const bool is_usual = group.name == kArguments || group.name == kOptions;
    std::string rows;
    for (const OptionRow* row : group.rows) {
      if (row->listed_by != ListedBy::kHelpV2) add_option(rows, *row);
    }
    if (!rows.empty() && !is_usual) {
      begin_paragraph(text);
      text += roff(group.name) + ":\n";
    }
    text += rows;
  }
}

// Adds a footer: examples stay as they are, and remarks become paragraphs.
void add_footer(std::string& text, std::string_view footer) {
  bool verbatim = false;
  bool in_paragraph = false;
  while (!footer.empty()) {
    const std::string_view line = split_line(footer);
    const bool is_example = line.starts_with("  ");
    if (!is_example && verbatim) text += ".fi\n.RE\n";
    if (is_example != verbatim || !in_paragraph) begin_paragraph(text);
    in_paragraph = true;
    if (is_example && !verbatim) text += ".RS 4\n.nf\n";
    verbatim = is_example;
    text += roff(is_example ? line.substr(2) : line) + "\n";
  }
  if (verbatim) text += ".fi\n.RE\n";
}

// Returns a footer's examples, without their heading, if `examples` is true; else its other lines.
std::string part_of(std::string_view footer, bool examples) {
  std::string text;
  while (!footer.empty()) {
    const std::string_view line = split_line(footer);
    if (line != "Examples:" && line.starts_with("  ") == examples) text += std::string(line) + "\n";
  }
  return text;
}

void add_commands(std::string& text, const Command& parent) {
  for (const Command& command : parent.commands) {
    text += fmt::format(".SS {}\n{}.PP\n{}.\n", roff(command.path), synopsis(command),
                        roff(command.text));
    add_options(text, command);
    add_footer(text, command.footer);
    add_commands(text, command);
  }
}

// Adds a section for v2's flags, because the commands' sections leave out flags without effect.
void add_flags_of_v2(std::string& text, const Command& program) {
  text += fmt::format(
      ".SH FLAGS OF V2\nThese flags are accepted by {}, so that the command lines of v2 run; flags "
      "without effect are not in \\fB\\-\\-help\\fR.\n",
      fmt::join(commands_with(program, ListedBy::kHelpV2), ", "));
  for (const V2Flag& flag : v2_flags()) {
    std::string term = "\\fB" + roff(flag.names) + "\\fR";
    if (flag.takes_value) term += " \\fIN\\fR";
    text += item(term, roff(flag.says));
  }
}

void add_environment(std::string& text) {
  text += ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable& variable : environment_variables()) {
    text += item(fmt::format("\\fB{}\\fR", roff(variable.name)),
                 (variable.used ? "" : "No effect: ") + roff(variable.meaning));
  }
}

void add_configuration(std::string& text) {
  text +=
      ".SH CONFIGURATION\nThe file of \\fB\\-\\-config\\fR is YAML. Flags override the "
      "environment, the environment overrides the file, and the file overrides the defaults.\n";
  for (const ConfigKey& key : config_keys()) {
    if (!key.used) continue;
    text += item(fmt::format("\\fB{}\\fR (default {})", roff(key.name), roff(key.fallback)),
                 roff(key.comment));
  }
  text += ".PP\nOther keys of v2 are accepted and have no effect.\n";
}

void add_files(std::string& text) {
  constexpr std::pair<RunFile, std::string_view> kFiles[]{
      {run_files::kFrameTable, "the scores of every stop-free frame"},
      {run_files::kConsensusTable, "the largest scores of every chunk"},
      {run_files::kSequenceTable, "a row for every sequence, with its scores and its call"},
      {run_files::kContigTable,
       "the result of all chunks of each sequence together (--rule viral-ngs)"},
      {run_files::kChunkBed, "the position of each chunk on its sequence (--bed)"},
      {run_files::kVirusFasta, "the sequences called virus (--virus-fasta)"},
      {run_files::kFailedInputs, "the inputs that could not be read completely, if there are any"},
      {run_files::kSyntheticMark, "the models whose weights are random numbers, if there are any"},
      {run_files::kJournal, "the journal of the run"},
      {run_files::kLock, "host and process of a run that is going on; removed at its end"},
      {run_files::kOwnFiles, "the names of the files that runs wrote"},
      {run_files::kLog, "the log of the run"},
  };
  text +=
      ".SH FILES\n\\fBpredict\\fR writes into the folder of \\fB\\-\\-output\\fR, else "
      "\\fINAME\\fR_predictions; \\fINAME\\fR is set by \\fB\\-\\-name\\fR, else it is the "
      "first input's name.\n";
  for (const auto& [file, meaning] : kFiles) {
    text += item(fmt::format("\\fB{}\\fR", roff(file.in("", "NAME").string())), roff(meaning));
  }
  text +=
      ".PP\nThe file of \\fB\\-\\-config\\fR is the only configuration file. The columns of the "
      "tables are described in \\fIshare/doc/virnucpro/docs/use/outputs.md\\fR.\n";
}

}  // namespace

std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
    line_begins = letter == '\n';
  }
  return result;
}

std::string man_page(const Command& program) {
  std::string text =
      fmt::format(".TH VIRNUCPRO 1 \"\" \"virnucpro {}\" \"User Commands\"\n", program_version());
  text += ".SH NAME\nvirnucpro \\- tells viral from other sequences\n";
  text += ".SH SYNOPSIS\n" + synopsis(program);
  text += ".SH DESCRIPTION\n" + roff(program.text) + "\n";
  text += ".SH OPTIONS\n";
  add_options(text, program);
  add_footer(text, part_of(program.footer, false));
  text += ".SH COMMANDS\n";
  add_commands(text, program);
  add_flags_of_v2(text, program);
  text += ".SH EXAMPLES\n";
  add_footer(text, part_of(program.footer, true));
  text += ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes()) {
    text += item(fmt::format("\\fB{}\\fR", code.code), roff(meaning_of(code, program)));
  }
  add_environment(text);
  add_configuration(text);
  add_files(text);
  text += ".SH SEE ALSO\n.BR samtools (1)\n";
  return text;
}

}  // namespace virnucpro

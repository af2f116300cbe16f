#include <fmt/format.h>

#include <string_view>

#include "base/config.hpp"
#include "base/error.hpp"
#include "cli/environment.hpp"
#include "documents/documents.hpp"

namespace virnucpro {
namespace {

// Text for a table cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '|') result += '\\';
    result += letter;
  }
  return result;
}

std::string_view yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

}  // namespace

std::string error_reference() {
  std::string text =
      "# Errors\n\n"
      "Made by `make docs` from the table in `src/base/error.cpp`; not to be edited.\n\n"
      "A message names the file and the record, byte or tensor, and what was expected; the line\n"
      "after it says what can be done. `failed_inputs.txt` and the log use the names below.\n\n"
      "| exit code | meaning |\n|---|---|\n";
  for (const ExitCode& code : exit_codes()) {
    text += fmt::format("| {} | {} |\n", code.code, cell(code.meaning));
  }
  text += "\n| error | exit code | meaning | what to do |\n|---|---|---|---|\n";
  for (const ErrorInfo& info : error_table()) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", info.name, info.exit_code, cell(info.summary),
                        cell(info.remedy));
  }
  return text;
}

std::string configuration_reference() {
  std::string text =
      "# Configuration\n\n"
      "Made by `make docs` from the tables in `src/base/config_keys.cpp` and\n"
      "`src/cli/environment.cpp`; not to be edited.\n\n"
      "`-c FILE` reads YAML; `virnucpro utils generate-config` writes a file with every key. A "
      "flag goes\nbefore the environment, the environment before the file, the file before the "
      "default. A key without\neffect is accepted with any value, and `-v` says so "
      "(`features.esm.toks_per_batch`: a warning does);\nan unknown key is a warning that names "
      "the "
      "nearest; a value of the wrong type is an error that names\nthe line.\n\n"
      "| key | default | effect | meaning |\n|---|---|---|---|\n";
  for (const ConfigKey& key : config_keys()) {
    text += fmt::format("| `{}` | `{}` | {} | {} |\n", key.name, cell(key.fallback),
                        yes_or_no(key.used), cell(key.comment));
  }
  text +=
      "\n## Environment\n\nA switch is on when it is set to anything but an empty text, `0`, `no`, "
      "`off` or `false`.\n\n"
      "| variable | effect | meaning |\n|---|---|---|\n";
  for (const EnvironmentVariable& variable : environment_variables()) {
    text += fmt::format("| `{}` | {} | {} |\n", variable.name, yes_or_no(variable.used),
                        cell(variable.meaning));
  }
  return text;
}

}  // namespace virnucpro

#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace virnucpro {

// How help looks: groups of options, descriptions in lines of at most 100 columns; under a command
// how to see the global options, under the program its exit codes.
//
// The word after an option says what its value is, for people and for completion
// (documents/value_words.hpp): FILE, DIR, N, …, or the words it can be, "auto|fp32|bf16".
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace virnucpro

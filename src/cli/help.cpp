#include "cli/help.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kNameWidth = 34;
constexpr std::size_t kTextWidth = 66;

// Breaks lines at blanks.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string result;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos) end = text.find(' ');
    if (end == std::string_view::npos) break;
    result += text.substr(0, end);
    result += '\n';
    text.remove_prefix(end + 1);
  }
  result += text;
  return result;
}

std::string exit_code_lines() {
  std::string text = "Exit codes:\n";
  for (const ExitCode& code : exit_codes()) {
    text += fmt::format("  {:<5}{}\n", code.code, code.meaning);
  }
  return text;
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(kNameWidth);
  label("SUBCOMMAND", "COMMAND");
  label("Positionals", "Arguments");
}

// The base class ends most groups with a second blank line.
std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const std::string footer = Formatter::make_footer(app);
  if (app->get_parent() == nullptr) return footer + "\n" + exit_code_lines();
  return footer + "Global options (-v, -q, -l, -c) are accepted here, too: virnucpro --help.\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text;
  if (!option->get_type_name().empty() && option->get_type_size() != 0) {
    text += " " + option->get_type_name();
  }
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required()) text += " (required)";
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), kTextWidth);
}

}  // namespace virnucpro

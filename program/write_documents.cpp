// Writes the documents that are generated from the program's tables:
//
//   write_documents share DIR    DIR/man, DIR/bash-completion, DIR/zsh
//   write_documents docs DIR     DIR/options.md, DIR/errors.md, DIR/configuration.md
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/terminal.hpp"
#include "cli/program.hpp"
#include "documents/documents.hpp"
#include "program/commands.hpp"

namespace virnucpro {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  make_directory(path.parent_path());
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void write_share(const std::filesystem::path& share) {
  const Program program(all_commands());
  const Command& tree = program.commands();
  write(share / "man/man1/virnucpro.1", man_page(tree));
  write(share / "bash-completion/completions/virnucpro", bash_completion(tree));
  write(share / "zsh/site-functions/_virnucpro", zsh_completion(tree));
}

void write_docs(const std::filesystem::path& docs) {
  const Program program(all_commands());
  write(docs / "options.md", option_reference(program.commands()));
  write(docs / "errors.md", error_reference(program.commands()));
  write(docs / "configuration.md", configuration_reference());
}

int run(std::string_view what, const char* where) {
  try {
    if (what == "share") {
      write_share(where);
    } else if (what == "docs") {
      write_docs(where);
    } else {
      throw Error(ErrorKind::kUsage,
                  "give two arguments: the word share or docs, and the folder to write to");
    }
    return kExitDone;
  } catch (const std::exception& error) {
    terminal_print(error.what());
    return kExitFailure;
  }
}

}  // namespace
}  // namespace virnucpro

int main(int argc, char** argv) {
  return argc == 3 ? virnucpro::run(argv[1], argv[2]) : virnucpro::run("", "");
}

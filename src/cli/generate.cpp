#include "validate/generate.hpp"

#include <memory>
#include <string>

#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/standard_output.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

constexpr std::uint64_t kMostSequences = std::uint64_t{1} << 40U;
constexpr const char* kExamples =
    "Examples:\n"
    "  virnucpro generate -n 1000 --length 500 --coding 1 -o coding.fa\n"
    "  virnucpro generate -n 10 --seed 7 --gc 0.4 -o - | virnucpro utils validate -";

struct GenerateOptions {
  std::string seed = "0";
  std::string count;
  std::string length = "500";
  std::string gc = "0.5";
  std::string coding = "0";
  std::string output;
  bool force = false;
};

void add_options(CLI::App& command, GenerateOptions& options) {
  add_value(command, "-n,--count", options.count, "How many sequences", "N")->required();
  add_value(command, "--length", options.length, "Letters of each (default 500)", "N");
  add_value(command, "--seed", options.seed, "The same seed gives the same bytes (default 0)", "N");
  add_value(command, "--gc", options.gc, "Share of G and C (default 0.5)", "X");
  add_value(command, "--coding", options.coding,
            "Share of sequences whose frame 1 holds no stop codon (default 0)", "X");
  add_value(command, "-o,--output", options.output, "The FASTA file to write; - is stdout", "FILE")
      ->required();
  command.add_flag("-f,--force", options.force, "Replace the output file");
  command.footer(kExamples);
}

GenerateSettings choose_settings(const GenerateOptions& options) {
  GenerateSettings settings;
  settings.seed = count_value("--seed", options.seed, 0, UINT64_MAX);
  settings.count = count_value("--count", options.count, 0, kMostSequences);
  settings.length = FixedLength{count_value("--length", options.length, 0, kMaxLetters)};
  settings.gc = parse_share(options.gc, "--gc");
  settings.coding = parse_share(options.coding, "--coding");
  return settings;
}

int run_generate(const GenerateOptions& options, const Session& session) {
  const GenerateSettings settings = choose_settings(options);
  if (options.output == "-") {
    generate_fasta(settings, [&session](std::string_view text) {
      session.cancel.check();
      write_stdout(text);
    });
    return kExitDone;
  }
  check_output_file(options.output, options.force);
  AtomicFile file(options.output);
  generate_fasta(settings, [&](std::string_view text) {
    session.cancel.check();
    file.write(text);
  });
  file.commit();
  return kExitDone;
}

}  // namespace

void add_generate_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("generate", "Write synthetic sequences as FASTA");
  const auto options = std::make_shared<GenerateOptions>();
  add_options(*command, *options);
  command->callback([options, &action] {
    action = [options](Session& session) { return run_generate(*options, session); };
  });
}

}  // namespace virnucpro

#include "download/download.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/download_text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "download/install.hpp"
#include "weights/locate.hpp"

namespace virnucpro {
namespace {

constexpr const char* kDownloadExamples =
    "Examples:\n"
    "  virnucpro download --list\n"
    "  virnucpro download --print-urls > models.txt\n"
    "An interrupted download continues where it stopped. With --check, exit code 1 means that a "
    "model is missing or damaged.\n"
    "Proxies and mirrors: https_proxy, no_proxy, SSL_CERT_FILE, HF_ENDPOINT, HF_TOKEN, "
    "VIRNUCPRO_GITHUB_URL, VIRNUCPRO_FAIR_ESM_URL.";

constexpr std::uint64_t kMostRetries = 100;

struct DownloadOptions {
  std::vector<std::string> models;
  std::string models_dir;
  std::string manifest;
  std::vector<std::string> sha256;
  std::string retries;
  std::string from;
  bool list = false;
  bool json = false;
  bool print_urls = false;
  bool check = false;
  bool remove = false;
};

// Returns the row of a model, by any name that commands accept, or nullptr.
const TableModel* find_row(const ModelTable& table, const std::string& name) {
  const TableModel* row = table.find(name);
  const PublishedModel* known = row == nullptr ? find_published(name) : nullptr;
  return known == nullptr ? row : table.find(known->download);
}

[[noreturn]] void fail_unknown(const ModelTable& table, const std::string& name) {
  const PublishedModel* known = find_published(name);
  if (known != nullptr) {
    fail_usage(
        fmt::format("{} is not among the models that are downloaded (--list): get it from "
                    "its publisher, {}",
                    name, known->repository));
  }
  std::vector<std::string_view> names{"all"};
  for (const TableModel& model : table.models) names.emplace_back(model.name);
  for (const PublishedModel& model : published_models()) {
    if (table.find(model.download) == nullptr) continue;
    std::ranges::copy(names_of(model), std::back_inserter(names));
  }
  fail_usage(fmt::format("unknown model {}{}", name, did_you_mean(name, names)));
}

// Returns the named models in the table's order; for "all" or no name, all models, but without
// `everything` only those that do not replace another model (instead_of).
std::vector<TableModel> choose_models_of(const ModelTable& table,
                                         const std::vector<std::string>& names, bool everything) {
  std::vector<const TableModel*> named;
  for (const std::string& name : names) {
    if (name == "all") continue;
    named.push_back(find_row(table, name));
    if (named.back() == nullptr) fail_unknown(table, name);
  }
  const bool all = names.empty() || std::ranges::find(names, "all") != names.end();
  std::vector<TableModel> chosen;
  for (const TableModel& model : table.models) {
    const bool in_all = all && (everything || model.instead_of.empty());
    if (in_all || std::ranges::find(named, &model) != named.end()) chosen.push_back(model);
  }
  return chosen;
}

// Returns the models' files that `name` means: "config.json" or "dnabert-s/config.json". If `name`
// is empty, returns the files without a published SHA-256.
std::vector<std::string> files_meant(const std::vector<TableModel>& models,
                                     const std::string& name) {
  std::vector<std::string> meant;
  for (const TableModel& model : models) {
    for (const TableFile& file : model.files) {
      const std::string full = label_of(model, file);
      if (name.empty() ? file.sha256.empty() : name == file.name || name == full) {
        meant.push_back(full);
      }
    }
  }
  return meant;
}

GivenHashes given_hashes(const std::vector<std::string>& options,
                         const std::vector<TableModel>& models) {
  GivenHashes given;
  for (const std::string& option : options) {
    const std::size_t equals = option.rfind('=');
    const std::string name = equals == std::string::npos ? "" : option.substr(0, equals);
    const std::string hash = equals == std::string::npos ? option : option.substr(equals + 1);
    if (!is_hash(hash, 64)) {
      fail_usage(fmt::format("--sha256 {}: expected 64 hexadecimal digits in lower case", option));
    }
    const std::vector<std::string> meant = files_meant(models, name);
    if (meant.size() != 1) {
      const std::vector<std::string> files = files_meant(models, "");
      fail_usage(
          fmt::format("--sha256 {}: expected FILE=HASH, where FILE is one file of these models; "
                      "files without a published SHA-256: {}",
                      option, files.empty() ? "none" : fmt::format("{}", fmt::join(files, ", "))));
    }
    given[meant.front()] = hash;
  }
  return given;
}

std::string chosen_folder(const std::string& option, const Session& session) {
  std::string folder = models_dir_name(option, session.config, session.environment);
  std::error_code ignored;
  const auto status = std::filesystem::status(folder, ignored);
  if (!folder.empty() && std::filesystem::exists(status) &&
      !std::filesystem::is_directory(status)) {
    const bool by_variable = !session.environment.text("VIRNUCPRO_MODELS").empty();
    fail_usage(fmt::format("{} {}: expected a directory",
                           !option.empty() ? "--models-dir"
                           : by_variable   ? "VIRNUCPRO_MODELS"
                                           : "run.models_dir",
                           folder));
  }
  return folder;
}

DownloadSettings settings_of(const DownloadOptions& options, const Session& session) {
  ModelTable table = installed_model_table(share_directory(session.environment));
  if (!options.manifest.empty()) table.add(read_model_table(options.manifest));
  DownloadSettings settings;
  settings.models = choose_models_of(table, options.models, options.list);
  settings.models_dir = chosen_folder(options.models_dir, session);
  settings.hashes = given_hashes(options.sha256, settings.models);
  settings.sources = source_settings(session.environment.text("VIRNUCPRO_GITHUB_URL"),
                                     session.environment.text("VIRNUCPRO_FAIR_ESM_URL"));
  if (!options.retries.empty()) {
    settings.sources.retries = count_value("--retries", options.retries, 0, kMostRetries);
  }
  settings.shows_progress = !session.global.quiet;
  return settings;
}

int say_installed(const std::vector<InstalledModel>& models) {
  std::string text;
  for (const InstalledModel& model : models) {
    text += fmt::format("{}: {}{}\n", model.model->name, model.place.shown(*model.model).string(),
                        model.was_there ? " (already there, complete)" : "");
  }
  print_stdout(text);
  return kExitDone;
}

// Returns a line for each removed file.
std::string remove_files(const DownloadSettings& settings, const Cancel& cancel) {
  std::string text;
  for (const TableModel& model : settings.models) {
    for (const ModelPlace& place : places_of(model, settings.models_dir)) {
      for (const auto& file : remove_model(model, place, cancel)) {
        text += fmt::format("removed {}\n", file.string());
      }
    }
  }
  return text;
}

int remove_models(const DownloadSettings& settings, const Cancel& cancel) {
  // The usual remedy names --output, which this command does not have.
  const std::string text =
      with_remedy(ErrorKind::kOutputWrite, "Solve that problem, then run the command again.",
                  [&] { return remove_files(settings, cancel); });
  print_stdout(text.empty() ? "nothing to remove\n" : text);
  return kExitDone;
}

// Refuses options that have no effect in this mode, because the user expects an effect.
void check_effects(const DownloadOptions& options) {
  const auto refuse = [](bool is_given, const char* option, const char* why) {
    if (is_given) fail_usage(fmt::format("{} has no effect here: {}", option, why));
  };
  const bool fetches = !options.list && !options.print_urls && !options.check && !options.remove &&
                       options.from.empty();
  const bool hashes = !options.list && !options.print_urls && !options.remove;
  refuse(!options.retries.empty() && !fetches, "--retries", "nothing is downloaded");
  refuse(!options.sha256.empty() && !hashes, "--sha256", "no file is compared with a hash");
  refuse(!options.models_dir.empty() && options.print_urls, "--models-dir",
         "--print-urls names no folder");
}

void check_modes(const DownloadOptions& options) {
  const int modes = int{options.list} + int{options.print_urls} + int{options.check} +
                    int{options.remove} + int{!options.from.empty()};
  if (modes > 1) {
    fail_usage("--list, --print-urls, --from, --check and --remove exclude each other");
  }
  if (options.json && !options.list) fail_usage("--json needs --list");
  check_effects(options);
  if (options.remove && options.models.empty()) {
    fail_usage("--remove needs the names of models, or the word all");
  }
}

int run_download(const DownloadOptions& options, const Session& session) {
  check_modes(options);
  const DownloadSettings settings = settings_of(options, session);
  if (options.json) {
    write_stdout(model_list_json(settings));
    return kExitDone;
  }
  if (options.list || options.print_urls) {
    print_stdout(options.list ? model_list_text(settings) : carry_list(settings));
    return kExitDone;
  }
  if (options.check) {
    const CheckReport report = check_models(settings, session.cancel);
    print_stdout(report.text);
    return report.is_whole ? kExitDone : kExitFailure;
  }
  if (options.remove) return remove_models(settings, session.cancel);
  return say_installed(options.from.empty()
                           ? download_models(settings, session.cancel)
                           : install_carried(settings, options.from, session.cancel));
}

}  // namespace

void add_download_command(Command& program) {
  Command& command = program.add_command(
      "download", "Download and verify models; no other command uses a network");
  const auto options = std::make_shared<DownloadOptions>();
  command
      .add_argument("MODEL", &options->models,
                    fmt::format("all (the default), {}, or another name that predict takes",
                                fmt::join(download_names(), ", ")))
      .required = false;
  command.add_value("--models-dir", options->models_dir,
                    "The folder for the models (VIRNUCPRO_MODELS; default: the caches of Hugging "
                    "Face and torch hub, ~/.cache/virnucpro)",
                    "DIR");
  command.add_flag("--list", options->list,
                   "List the models: files, sizes, hashes, sources, and which files are there");
  command.add_flag("--json", options->json, "With --list: as JSON");
  command.add_flag(
      "--print-urls", options->print_urls,
      "List URLs and hashes, for a machine without a network; sha256sum -c reads the list");
  command.add_value("--from", options->from,
                    "Verify and install files that were carried here by hand", "DIR");
  command.add_flag("--check", options->check, "Check whether all files are there and undamaged");
  command.add_flag("--remove", options->remove, "Remove the named models");
  command.add_value(
      "--manifest", options->manifest,
      "A table like the program's models.json; its models are added, or replace those of the same "
      "name",
      "FILE");
  command.add_option("--sha256", &options->sha256,
                     "The hash that a file without a published hash must have: [FILE=]HASH",
                     "HASH");
  command.add_value("--retries", options->retries,
                    "How often a request that failed is sent again (default 5)", "N");
  command.footer = kDownloadExamples;
  command.restart_advice = "Run the command again: it continues where it stopped.";
  command.action = [options](Session& session) { return run_download(*options, session); };
}

}  // namespace virnucpro

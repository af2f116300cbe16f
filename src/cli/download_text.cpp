#include "cli/download_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "download/sources.hpp"

namespace virnucpro {
namespace {

std::string_view there_word(const ModelFinding& finding) {
  if (finding.complete()) return "yes";
  return finding.nothing() ? "no" : "partly";
}

std::string known_size(const TableFile& file) {
  if (file.bytes) return grouped(*file.bytes) + " bytes";
  return file.bytes_about ? "about " + size_text(*file.bytes_about) : "size not known";
}

std::string known_hash(const TableFile& file) {
  if (!file.sha256.empty()) return "SHA-256 " + file.sha256;
  return file.git_blob.empty() ? "no published hash" : "git blob " + file.git_blob;
}

std::string there_text(const TableModel& model, const ModelFinding& finding,
                       const DownloadSettings& settings) {
  if (finding.complete()) return finding.place.shown(model).string();
  const std::string goes_to = places_of(model, settings.models_dir).front().folder.string();
  const std::string in = finding.nothing() ? "" : ", in " + finding.place.folder.string();
  return fmt::format("{}{}; goes to {}", there_word(finding), in, goes_to);
}

std::string list_entry(const TableModel& model, const DownloadSettings& settings) {
  const ModelFinding finding = look_at_model(model, settings, nullptr);
  std::string text = model.name;
  if (!model.instead_of.empty()) text += fmt::format(" (instead of {})", model.instead_of);
  text += fmt::format("\n  size: {}\n  source: {}\n", size_text(model.size()), page_of(model));
  text += fmt::format("  licence: {}\n", model.licence.empty() ? "not known here; see the source"
                                                               : printable(model.licence));
  text += fmt::format("  there: {}\n", there_text(model, finding, settings));
  for (const TableFile& file : model.files) {
    text += fmt::format("  {}  {}  {}\n", file.name, known_size(file), known_hash(file));
  }
  return text;
}

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Json file_json(const TableModel& model, const FileFinding& finding, const ModelPlace& target,
               const Sources& sources) {
  const TableFile& file = *finding.file;
  const bool is_there = finding.state != FileState::kMissing;
  const std::filesystem::path path = is_there ? finding.path : target.path_of(file);
  return Json{{"name", file.name},
              {"bytes", file.bytes},
              {"bytes_about", file.bytes_about},
              {"sha256", if_any(file.sha256)},
              {"git_blob_sha1", if_any(file.git_blob)},
              {"urls", sources.urls_of(model, file)},
              {"there", is_there},
              {"path", if_any(path.string())}};
}

Json model_json(const TableModel& model, const DownloadSettings& settings, const Sources& sources) {
  const ModelFinding finding = look_at_model(model, settings, nullptr);
  const ModelPlace target = places_of(model, settings.models_dir).front();
  std::vector<Json> files;
  for (const FileFinding& file : finding.files) {
    files.push_back(file_json(model, file, target, sources));
  }
  return Json{{"name", model.name},
              {"instead_of", if_any(model.instead_of)},
              {"source", name_of(model.source)},
              {"page", page_of(model)},
              {"licence", if_any(model.licence)},
              {"goes_to", target.folder.string()},
              {"there", there_word(finding)},
              {"files", files}};
}

std::string carry_entry(const TableModel& model, const TableFile& file, const Sources& sources) {
  const std::string path = carried_path(model, file).string();
  std::string text = fmt::format("# {}: {}\n", path, known_size(file));
  for (const std::string& url : sources.urls_of(model, file)) {
    text += fmt::format("#curl --fail --location --create-dirs -o '{}' '{}'\n", path, url);
  }
  if (!file.sha256.empty()) return text + fmt::format("{}  {}\n", file.sha256, path);
  if (!file.git_blob.empty()) {
    return text + fmt::format("# no SHA-256 is published; git hash-object {} must print {}\n", path,
                              file.git_blob);
  }
  return text + "# no hash is published\n";
}

std::string state_text(const FileFinding& file) {
  switch (file.state) {
    case FileState::kWhole:
      return "whole";
    case FileState::kUnchecked:
      return "there, but no hash to compare with is known; its SHA-256 is " + file.found.sha256;
    case FileState::kDamaged:
      return "damaged: " + file.difference;
    case FileState::kMissing:
      break;
  }
  return "missing";
}

}  // namespace

std::string model_list_text(const DownloadSettings& settings) {
  std::string text;
  for (const TableModel& model : settings.models) text += list_entry(model, settings);
  return text;
}

std::string model_list_json(const DownloadSettings& settings) {
  const Cancel none;
  const Sources sources(settings.sources, none);
  std::vector<Json> models;
  for (const TableModel& model : settings.models) {
    models.push_back(model_json(model, settings, sources));
  }
  return Json{{"schema", "virnucpro-model-list-1"}, {"models", models}}.dump(2) + "\n";
}

std::string carry_list(const DownloadSettings& settings) {
  const Cancel none;
  const Sources sources(settings.sources, none);
  std::string text =
      "# Save this text as models.txt on a machine with a network, and run there:\n"
      "#   sed -n 's/^#curl/curl/p' models.txt | sh && sha256sum -c models.txt\n"
      "# Then carry the files to the other machine, and run there:\n"
      "#   virnucpro download --from FOLDER";
  for (const TableModel& model : settings.models) text += " " + model.name;
  text += "\n";
  for (const TableModel& model : settings.models) {
    for (const TableFile& file : model.files) text += carry_entry(model, file, sources);
  }
  return text;
}

CheckReport check_models(const DownloadSettings& settings, const Cancel& cancel) {
  CheckReport report;
  for (const TableModel& model : settings.models) {
    const ModelFinding finding = look_at_model(model, settings, &cancel);
    report.is_whole = report.is_whole && finding.complete();
    for (const FileFinding& file : finding.files) {
      const std::string at = file.path.empty() ? finding.place.folder.string() : file.path.string();
      report.text +=
          fmt::format("{}: {} ({})\n", label_of(model, *file.file), state_text(file), at);
    }
  }
  return report;
}

}  // namespace virnucpro

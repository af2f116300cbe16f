#include "sequence/open_input.hpp"

namespace virnucpro {

std::string display_name(const std::string& path) {
  if (path.empty()) return "\"\"";
  return path == "-" ? "stdin" : path;
}

OpenInput::OpenInput(const std::string& path, const Cancel& cancel)
    : name(display_name(path)),
      source(path, cancel),
      text(source),
      alignments(alignment_format(text.start())) {}

std::optional<Error> OpenInput::change() const {
  const std::optional<std::string> changed = source.change();
  if (!changed) return std::nullopt;
  return Error(ErrorKind::kInputChanged, Place{.file = name}, *changed);
}

std::unique_ptr<OpenInput> open_input(const std::string& path, const Cancel& cancel) {
  try {
    return std::make_unique<OpenInput>(path, cancel);
  } catch (const Error& error) {
    throw error.placed(Place{.file = display_name(path)}, error.detail());
  }
}

Error explained(const Error& error, const std::optional<Error>& change) {
  if (!change) return error;
  const bool is_same_file = change->place().file == error.place().file;
  return is_same_file ? Error(change->kind(), error.place(), change->detail()) : *change;
}

void refuse_uncompressed(const OpenInput& bam) {
  if (bam.source.compressed()) return;
  throw Error(ErrorKind::kInputFormat, Place{.file = bam.name, .record = 1, .offset = 0},
              "the BAM is not compressed, so a cut file would look complete: pipe it through "
              "samtools view -b");
}

}  // namespace virnucpro

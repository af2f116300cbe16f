#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "sequence/alignment.hpp"
#include "sequence/file_source.hpp"
#include "sequence/started_source.hpp"

namespace virnucpro {

// Returns a path as messages show it: "stdin" for "-".
std::string display_name(const std::string& path);

// The path of stdin ("-"), for code that examines a file by its path.
inline constexpr const char* kStandardInputFile = "/dev/stdin";

// An open input. Its first bytes tell the format: a name may be wrong, and a pipe has no name.
struct OpenInput {
  OpenInput(const std::string& path, const Cancel& cancel);

  // Returns kInputChanged if the file has changed since it was opened; empty otherwise.
  std::optional<Error> change() const;

  std::string name;
  FileSource source;
  StartedSource text;
  std::optional<AlignmentFormat> alignments;  // empty: FASTA, FASTQ or unknown
};

// Opens an input. Errors: those of FileSource, with the file's name.
std::unique_ptr<OpenInput> open_input(const std::string& path, const Cancel& cancel);

// Returns the file's change if there is one, else `error`: a file that changes while it is read
// looks damaged, so the change is the true cause.
Error explained(const Error& error, const std::optional<Error>& change);

// Throws kInputFormat for a BAM that is not compressed.
void refuse_uncompressed(const OpenInput& bam);

}  // namespace virnucpro

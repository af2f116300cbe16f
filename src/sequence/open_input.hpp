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

// The path of stdin ("-"), which may be a file, too.
inline constexpr const char* kStandardInputFile = "/dev/stdin";

// An open file whose first bytes told its format: names lie, and pipes have none.
struct OpenInput {
  OpenInput(const std::string& path, const Cancel& cancel);

  // Returns kInputChanged if the file has changed since it was opened; empty otherwise.
  std::optional<Error> change() const;

  std::string name;
  FileSource source;
  StartedSource text;
  std::optional<AlignmentFormat> alignments;  // empty: FASTA, FASTQ or unknown
};

// Errors: FileSource's, with the file's name.
std::unique_ptr<OpenInput> open_input(const std::string& path, const Cancel& cancel);

// Returns `change`, if there is one, in place of an error in the same file: a file that changes
// while it is read looks damaged.
Error explained(const Error& error, const std::optional<Error>& change);

// Refuses a BAM that is not compressed. Errors: kInputFormat.
void refuse_uncompressed(const OpenInput& bam);

}  // namespace virnucpro

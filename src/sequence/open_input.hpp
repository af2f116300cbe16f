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

// A path as messages show it: "stdin" for "-".
std::string display_name(const std::string& path);

// What "-" is, which may be a file, too.
inline constexpr const char* kStandardInputFile = "/dev/stdin";

// An open file whose first bytes were read.
struct OpenInput {
  OpenInput(const std::string& path, const Cancel& cancel);

  // kInputChanged if the file has changed since it was opened; empty otherwise.
  std::optional<Error> change() const;

  std::string name;
  FileSource source;
  StartedSource text;
  std::optional<AlignmentFormat> alignments;  // empty: FASTA, FASTQ or unknown
};

// Errors: FileSource's, with the file's name.
std::unique_ptr<OpenInput> open_input(const std::string& path, const Cancel& cancel);

// What looks like damage may come from a file that changes while it is read: `change`, if that is
// known. It takes the place of an error in the same file.
Error explained(const Error& error, const std::optional<Error>& change);

// Of a BAM. Errors: kInputFormat.
void refuse_uncompressed(const OpenInput& bam);

}  // namespace virnucpro

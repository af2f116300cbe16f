#include "sequence/mapping_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "sequence/bam_reader.hpp"
#include "sequence/sam_reader.hpp"

namespace virnucpro {
namespace {

[[noreturn]] void refuse_format(const OpenInput& file) {
  const bool is_cram = file.alignments == AlignmentFormat::kCram;
  throw Error(
      ErrorKind::kInputFormat, Place{.file = file.name},
      is_cram ? "it is CRAM; BAM or SAM is needed" : "it is neither BAM nor a SAM with its header")
      .advised(
          is_cram ? "Convert it: samtools view -b -T REFERENCE FILE | virnucpro label-reads RUN -"
                  : "Give what the aligner wrote: BAM, or SAM with its header (samtools view -h).");
}

std::unique_ptr<MappingReader> make_mapping_reader(OpenInput& file) {
  file.source.require_end_marker();
  if (file.alignments == AlignmentFormat::kSam) {
    return std::make_unique<SamReader>(file.text, file.name);
  }
  if (file.alignments != AlignmentFormat::kBam) refuse_format(file);
  refuse_uncompressed(file);
  return std::make_unique<BamReader>(file.text, file.name);
}

}  // namespace

MappingFile::MappingFile(const std::string& path, const Cancel& cancel)
    : cancel_(cancel), file_(open_input(path, cancel)), reader_(make_mapping_reader(*file_)) {}

template <typename Read>
auto MappingFile::explaining_errors(Read read) {
  try {
    return read();
  } catch (const Error& error) {
    cancel_.check();  // throws if the read was cancelled: the file is not at fault
    if (const std::optional<Error> change = file_->change()) throw explained(error, change);
    throw;
  }
}

const ReferenceList& MappingFile::references() {
  return *explaining_errors([this] { return &reader_->references(); });
}

std::optional<MappedAlignment> MappingFile::next() {
  cancel_.check();
  return explaining_errors([this] { return reader_->next_mapped(); });
}

}  // namespace virnucpro

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "sequence/mapped_alignment.hpp"
#include "sequence/open_input.hpp"

namespace virnucpro {

// Reads the reference of each mapped read of a BAM or SAM file, or of stdin ("-"). The content
// tells the format. Errors: those of FileSource, MappingReader and Cancel; kInputFormat for CRAM
// and other formats; kInputChanged for a file that changes while it is read.
class MappingFile {
 public:
  MappingFile(const std::string& path, const Cancel& cancel);

  const std::string& name() const { return file_->name; }
  const ReferenceList& references();
  std::optional<MappedAlignment> next();
  UnplacedAlignments unplaced() const { return reader_->unplaced(); }

 private:
  template <typename Read>
  auto explaining_errors(Read read);

  const Cancel& cancel_;
  std::unique_ptr<OpenInput> file_;
  std::unique_ptr<MappingReader> reader_;
};

}  // namespace virnucpro

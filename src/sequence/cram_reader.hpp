#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "sequence/alignment.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/byte_window.hpp"
#include "sequence/cram_container.hpp"
#include "sequence/cram_process.hpp"
#include "sequence/reference_index.hpp"

namespace virnucpro {

// The reads of a CRAM file, versions 3.0 and 3.1. Containers are checked here, one after the other,
// and then decoded by htslib in a process of its own, whose memory follows what the containers
// hold. Nothing but `reference`, a FASTA file or empty, is ever looked up.
//
// Errors beside an AlignmentReader's, with the offset of the container: kInputCorrupt;
// kInputReference where the reference is needed and missing, or another one.
class CramReader : public AlignmentReader {
 public:
  CramReader(ByteSource& source, std::string file, const std::string& reference,
             const Cancel& cancel);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return bytes_.bytes(); }
  std::string hash() const override { return bytes_.hash(); }

 private:
  // A container whose records have not all come yet.
  struct Sent {
    std::uint64_t last = 0;  // number of its last record
    std::uint64_t offset = 0;
    bool aligned = false;
  };

  void start();
  std::optional<std::string> next_part();
  std::optional<CramContainer> next_container();
  void allow_for(const CramContainer& container);
  std::optional<SequenceRecord> read_record();
  [[noreturn]] void fail_to_decode(ErrorKind kind, std::string detail);
  void finish();
  Error placed(const Error& error) const;

  ByteWindow bytes_;
  std::string file_;
  std::string reference_path_;
  const Cancel& cancel_;
  std::optional<ReferenceIndex> reference_;
  std::optional<CramProcess> process_;
  std::optional<ByteWindow> frames_;
  std::string start_;   // the definition and the header's container, until they are sent
  bool begun_ = false;  // the header was decoded
  bool ended_ = false;  // nothing more is sent
  std::deque<Sent> sent_;
  Sent last_;                      // that all records of came; at first the header's
  std::uint64_t claimed_ = 0;      // records of all containers read
  std::uint64_t allowed_ = 0;      // bytes of memory, whatever the container
  std::uint64_t last_needed_ = 0;  // with the container before
  std::optional<Error> failure_;   // of the file, behind the records that are on their way
  std::uint64_t records_ = 0;      // read to their end
  SkippedAlignments skipped_;
};

}  // namespace virnucpro

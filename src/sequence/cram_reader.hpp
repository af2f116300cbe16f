#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "sequence/alignment.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/byte_window.hpp"
#include "sequence/cram_container.hpp"
#include "sequence/cram_decoder.hpp"
#include "sequence/cram_process.hpp"
#include "sequence/reference_index.hpp"

namespace virnucpro {

// Reads CRAM files of versions 3.0 and 3.1. This class checks each container; then htslib decodes
// it in another process. The containers' sizes set that process's limits of memory and time. Only
// `reference` is used; no other reference is searched for.
//
// Errors besides those of AlignmentReader: kInputCorrupt, and kInputReference for a missing or
// wrong reference, both with the container's offset; kInputChanged if the reference changes.
class CramReader : public AlignmentReader {
 public:
  CramReader(ByteSource& source, std::string file, ReferenceIndex& reference, const Cancel& cancel);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return bytes_.bytes(); }
  std::string hash() const override { return bytes_.hash(); }

 private:
  // A container that was sent to the process, but whose records have not all come back.
  struct Sent {
    std::uint64_t last = 0;  // number of its last record
    std::uint64_t offset = 0;
    std::uint64_t begin = 0;  // its offset in the bytes sent
    std::uint64_t end = 0;
    std::uint64_t work = 0;  // needed memory in bytes; sets the limit of processor time
    bool needs_reference = false;
    bool many_references = false;
  };

  void start();
  std::optional<std::string> next_part();
  std::optional<CramContainer> next_container();
  CramContainer read_container();
  void add(const CramContainer& container);
  void allow();
  std::optional<SequenceRecord> read_record();
  void count_record(const CramFrame& frame);
  [[noreturn]] void fail_to_decode(ErrorKind kind, std::string detail, std::string advice = {});
  void finish();
  Error placed(const Error& error) const;

  ByteWindow bytes_;
  std::string file_;
  ReferenceIndex& reference_;
  const Cancel& cancel_;
  std::optional<CramProcess> process_;
  std::optional<ByteWindow> frames_;
  std::string start_;              // definition and header container, until they are sent
  bool begun_ = false;             // the process has decoded the header
  bool ended_ = false;             // nothing more will be sent
  bool at_end_container_ = false;  // the last container read is an end container
  std::deque<Sent> sent_;
  Sent last_;                      // the last container whose records have all come back
  std::uint64_t claimed_ = 0;      // records that the containers so far claim
  std::uint64_t bytes_sent_ = 0;   // including bytes that the process has not read
  std::uint64_t memory_ = 0;       // bytes that every container needs
  std::uint64_t most_needed_ = 0;  // bytes that the largest container needs beyond memory_
  std::uint64_t work_ = 0;         // sum of the work in sent_
  std::optional<Error> failure_;   // error of the file; thrown after all records before it
  std::uint64_t records_ = 0;      // number of records read completely
  SkippedAlignments skipped_;
};

}  // namespace virnucpro

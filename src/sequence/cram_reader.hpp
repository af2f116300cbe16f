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

// Reads CRAM files of versions 3.0 and 3.1. It checks one container after the other, then htslib
// decodes them in a process of its own; their contents set the limits of memory and time. No
// reference except `reference` is looked up.
//
// Errors besides those of AlignmentReader, with the container's offset: kInputCorrupt;
// kInputReference if a needed reference is missing or wrong; kInputChanged if it changed meanwhile.
class CramReader : public AlignmentReader {
 public:
  CramReader(ByteSource& source, std::string file, ReferenceIndex& reference, const Cancel& cancel);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return bytes_.bytes(); }
  std::string hash() const override { return bytes_.hash(); }

 private:
  // A container that was sent, and whose records have not all arrived.
  struct Sent {
    std::uint64_t last = 0;  // number of its last record
    std::uint64_t offset = 0;
    std::uint64_t begin = 0;  // where it begins in the bytes sent
    std::uint64_t end = 0;
    std::uint64_t work = 0;  // in bytes of memory; sets its share of processor time
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
  [[noreturn]] void fail_to_decode(ErrorKind kind, std::string detail);
  void finish();
  Error placed(const Error& error) const;

  ByteWindow bytes_;
  std::string file_;
  ReferenceIndex& reference_;
  const Cancel& cancel_;
  std::optional<CramProcess> process_;
  std::optional<ByteWindow> frames_;
  std::string start_;              // the definition and the header's container, until sent
  bool begun_ = false;             // the header was decoded
  bool ended_ = false;             // nothing more will be sent
  bool at_end_container_ = false;  // the last container read ends a file
  std::deque<Sent> sent_;
  Sent last_;                      // last container read completely; at first the header's
  std::uint64_t claimed_ = 0;      // records of all containers so far
  std::uint64_t bytes_sent_ = 0;   // including bytes on their way
  std::uint64_t memory_ = 0;       // needed for any container
  std::uint64_t most_needed_ = 0;  // the most that a container needs beyond memory_
  std::uint64_t work_ = 0;         // sum over sent_
  std::optional<Error> failure_;   // of the file; thrown after the records before it
  std::uint64_t records_ = 0;      // read completely
  SkippedAlignments skipped_;
};

}  // namespace virnucpro

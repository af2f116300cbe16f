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
#include "sequence/cram_decoder.hpp"
#include "sequence/cram_process.hpp"
#include "sequence/reference_index.hpp"

namespace virnucpro {

// The reads of a CRAM file, versions 3.0 and 3.1. Containers are checked here, one after the other,
// and then decoded by htslib in a process of its own, whose memory and time follow what the
// containers hold. Nothing but `reference`, if one is given, is ever looked up.
//
// Errors beside an AlignmentReader's, with the offset of the container: kInputCorrupt;
// kInputReference where the reference is needed and missing, or another one.
class CramReader : public AlignmentReader {
 public:
  CramReader(ByteSource& source, std::string file, ReferenceIndex& reference, const Cancel& cancel);

  std::optional<SequenceRecord> next() override;
  SkippedAlignments skipped() const override { return skipped_; }
  std::uint64_t bytes() const override { return bytes_.bytes(); }
  std::string hash() const override { return bytes_.hash(); }

 private:
  // A container whose records have not all come yet.
  struct Sent {
    std::uint64_t last = 0;  // number of its last record
    std::uint64_t offset = 0;
    std::uint64_t begin = 0;  // of what was sent
    std::uint64_t end = 0;
    std::uint64_t work = 0;  // as bytes of memory, for which it has its time
    bool needs_reference = false;
    bool many_references = false;
  };

  void start();
  std::optional<std::string> next_part();
  std::optional<CramContainer> next_container();
  void add(const CramContainer& container);
  void allow() const;
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
  std::string start_;   // the definition and the header's container, until they are sent
  bool begun_ = false;  // the header was decoded
  bool ended_ = false;  // nothing more is sent
  std::deque<Sent> sent_;
  Sent last_;                      // that all records of came; at first the header's
  std::uint64_t claimed_ = 0;      // records of all containers read
  std::uint64_t bytes_sent_ = 0;   // and being sent
  std::uint64_t memory_ = 0;       // that is needed whatever the container
  std::uint64_t most_needed_ = 0;  // beyond it, for one container
  std::uint64_t work_ = 0;         // of sent_
  std::optional<Error> failure_;   // of the file, behind the records that are on their way
  std::uint64_t records_ = 0;      // read to their end
  SkippedAlignments skipped_;
};

}  // namespace virnucpro

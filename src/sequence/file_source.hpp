#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/pipe_relay.hpp"

struct BGZF;

namespace virnucpro {

// The text of a file, or of stdin ("-"): plain, gzip (of several members too) or BGZF, recognised
// by content. Paths are local files only; a URL is a file that does not exist.
//
// Read block by block through htslib. What 1.16 lets pass silently, by experiment (every cut and
// every changed byte of small files), and is refused here:
// - a gzip or BGZF file cut within its first 18 bytes is handed out as plain text;
// - a BGZF file cut between two blocks ends like a whole one, without its end marker.
// Every other cut, wrong CRC, wrong ISIZE of a gzip member and anything after the last member is an
// error of htslib; a wrong ISIZE of a BGZF block passes, its text being held by its CRC. A gzip
// file cut between two of its members is a whole file: nothing in the format can tell.
//
// All text that comes before the damage is handed out before the error is thrown: of a gzip file
// every letter that can be inflated, of a BGZF file every whole block (a block's text is trusted
// only with its CRC).
//
// Errors: kInputMissing, kInputRead, kInputTruncated, kInputCorrupt, and the cancellation's, which
// ends a read that waits for a silent pipe, too.
class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, const Cancel& cancel);
  ~FileSource() override;

  std::size_t read(std::span<char> buffer) override;
  // Whether the text is gzip or BGZF, whole or damaged.
  bool compressed() const { return compressed_; }
  // How much of the file, compressed as it is, the text came from that was read so far.
  std::uint64_t position() const { return position_; }

 private:
  struct Close {
    void operator()(BGZF* stream) const;
  };

  void refill();
  Error failure() const;
  int relay_error() const;
  void check_start() const;
  void finish();

  const Cancel& cancel_;
  std::unique_ptr<PipeRelay> relay_;     // of what is no regular file
  std::unique_ptr<BGZF, Close> stream_;  // empty after the end; closed before the relay ends
  std::span<const char> block_;          // of stream_'s text, what was not handed out yet
  std::optional<Error> failure_;         // thrown once block_ is empty
  bool started_ = false;
  bool compressed_ = false;
  std::uint64_t position_ = 0;
};

}  // namespace virnucpro

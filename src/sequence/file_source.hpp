#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/file_watch.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/pipe_relay.hpp"

struct BGZF;

namespace virnucpro {

// The text of a file, or of stdin ("-"): plain, gzip (of several members too) or BGZF, recognised
// by content. Paths are local files only; a URL is a file that does not exist.
//
// Reads block by block through htslib. htslib 1.16 accepts some damage silently (found by trying
// every cut and every changed byte of small files); these cases are refused here:
// - a gzip or BGZF file cut within its first 18 bytes is returned as plain text;
// - a BGZF file cut between two blocks ends like a complete one, without its end marker.
// htslib reports every other cut, wrong CRC, wrong ISIZE of a gzip member, and anything after the
// last member. It accepts a wrong ISIZE of a BGZF block, whose CRC protects the text. A gzip file
// cut between two members is a complete file: the format cannot tell.
//
// All text before the damage is returned before the error is thrown: for gzip every letter that can
// be inflated, for BGZF every complete block (only its CRC proves a block's text).
//
// A file that changes while it is read has no text of its own: a copy that is still running gives a
// part of it, a rewritten file a mixture. So a change is an error, even where everything seemed
// whole, and it explains any other failure.
//
// Errors: kInputMissing, kInputRead, kInputTruncated, kInputCorrupt, kInputChanged, a lack of
// descriptors or memory, and the cancellation's, which also ends a wait for a silent pipe.
class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, const Cancel& cancel);
  ~FileSource() override;

  std::size_t read(std::span<char> buffer) override;
  // Whether the text is gzip or BGZF, complete or damaged.
  bool compressed() const { return compressed_; }
  // How many bytes of the file, as stored, were used for the text read so far.
  std::uint64_t position() const { return position_; }
  // What has changed about the file since it was opened, for a message; empty if nothing has, and
  // after the end.
  std::optional<std::string> change() const;

 private:
  struct Close {
    void operator()(BGZF* stream) const;
  };

  void refill();
  Error failure() const;
  int relay_error() const;
  void check_start() const;
  void check_whole() const;
  void finish();

  const Cancel& cancel_;
  std::unique_ptr<PipeRelay> relay_;     // if the input is not a regular file
  std::optional<FileWatch> watch_;       // over stream_'s descriptor, if it is the input's own
  std::uint64_t first_ = 0;              // the byte of the file at which reading began
  std::unique_ptr<BGZF, Close> stream_;  // empty after the end; closed before the relay ends
  std::span<const char> block_;          // the part of stream_'s text not returned yet
  std::optional<Error> failure_;         // thrown once block_ is empty
  bool started_ = false;
  bool compressed_ = false;
  std::uint64_t position_ = 0;
};

}  // namespace virnucpro

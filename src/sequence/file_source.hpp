#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/steady_file.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/gzip_decoder.hpp"
#include "sequence/pipe_relay.hpp"
#include "sequence/raw_bytes.hpp"

namespace virnucpro {

// Returns the error, without a place, for BGZF that lacks its end marker.
Error no_end_marker();

// Reads the text of a file, or of stdin ("-"): plain, gzip (of several members too) or BGZF,
// recognised by content. Paths are local files only; a URL is a file that does not exist.
//
// A cut gzip or BGZF file is an error, except gzip that is cut between two members: the format does
// not show that. If BGZF lacks its end marker, the caller decides by the text.
//
// A file that changes while it is read gives a wrong text: a part of it while it is still copied, a
// mixture if it is rewritten. So a change is an error even if the text seems whole, and it is
// reported instead of any other failure.
//
// Errors: kInputMissing, kInputRead, kInputTruncated, kInputCorrupt, kInputChanged, a lack of
// descriptors or memory, and those of Cancel, which also ends a wait for a silent pipe.
class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, const Cancel& cancel);
  ~FileSource() override;

  std::size_t read(std::span<char> buffer) override;
  // True if the text is gzip or BGZF, complete or damaged.
  bool compressed() const { return compressed_; }
  // After this call read() throws if BGZF lacks its end marker.
  void require_end_marker() { requires_end_marker_ = true; }
  // True at the end of the text if the file is BGZF without its end marker.
  bool lacks_end_marker() const { return lacks_end_marker_; }
  // Returns how many bytes of the file, as stored, gave the text read so far.
  std::uint64_t position() const { return position_; }
  // Returns, for a message, how the file changed since it was opened; empty if it did not, and
  // after the end.
  std::optional<std::string> change() const;

 private:
  void start();
  void refill();
  std::string_view next_block();
  Error explained(const Error& error) const;
  int relay_error() const;
  void check_whole() const;
  void finish();

  const Cancel& cancel_;
  std::unique_ptr<PipeRelay> relay_;  // if the input is not a regular file
  std::optional<FileWatch> watch_;    // over the descriptor of bytes_, if it is the input's own
  std::uint64_t first_ = 0;           // the byte of the file at which reading began
  std::optional<RawBytes> bytes_;     // empty after the end; closed before the relay ends
  std::optional<GzipDecoder> decoder_;
  std::string_view block_;  // the part of the text not returned yet
  bool compressed_ = false;
  bool requires_end_marker_ = false;
  bool lacks_end_marker_ = false;
  std::uint64_t position_ = 0;
};

}  // namespace virnucpro

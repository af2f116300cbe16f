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

// Returns the error for BGZF that lacks its end marker. The error names no place.
Error no_end_marker();

// Reads the text of a file, or of stdin ("-"): plain, gzip (also of several members) or BGZF,
// recognised by content. A path means a local file, even if it looks like a URL.
//
// A truncated gzip or BGZF file is an error, but gzip that was cut between two members looks
// complete. If BGZF lacks its end marker, the caller decides whether the text is complete.
//
// A file that changes while it is read gives a wrong text: only a part if the file is still being
// copied, a mixture if it is rewritten. So a change is an error even if the text seems complete,
// and this error replaces any other.
//
// Errors: kInputMissing, kInputRead, kInputTruncated, kInputCorrupt, kInputChanged, those for a
// lack of descriptors or memory, and those of Cancel. Cancel also ends a wait for a pipe.
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
  // Returns how many stored bytes, perhaps compressed, were read for the text so far.
  std::uint64_t position() const { return position_; }
  // Returns a message if the file has changed since it was opened; otherwise empty. Always empty
  // after the end of the text.
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
  std::optional<FileWatch> watch_;    // if the input is a regular file
  std::uint64_t first_ = 0;           // the offset in the file at which reading began
  std::optional<RawBytes> bytes_;     // empty after the end; destroyed before relay_
  std::optional<GzipDecoder> decoder_;
  std::string_view block_;  // the part of the text that read() has not returned yet
  bool compressed_ = false;
  bool requires_end_marker_ = false;
  bool lacks_end_marker_ = false;
  std::uint64_t position_ = 0;
};

}  // namespace virnucpro

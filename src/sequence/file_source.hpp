#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/cancel.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/pipe_relay.hpp"

struct BGZF;

namespace virnucpro {

// The text of a file, or of stdin ("-"): plain, gzip (of several members too) or BGZF, recognised
// by content. Paths are local files only; a URL is a file that does not exist.
//
// Read through htslib's bgzf_read. What 1.16 lets pass silently, by experiment (every cut and every
// changed byte of small files), and is refused here:
// - a gzip or BGZF file cut within its first 18 bytes is handed out as plain text;
// - a BGZF file cut between two blocks ends like a whole one, without its end marker.
// Every other cut, wrong CRC, wrong ISIZE of a gzip member and anything after the last member is an
// error of bgzf_read; a wrong ISIZE of a BGZF block passes, its text being held by its CRC. A gzip
// file cut between two of its members is a whole file: nothing in the format can tell.
//
// Errors: kInputMissing, kInputRead, kInputTruncated, kInputCorrupt, and the cancellation's, which
// ends a read that waits for a silent pipe, too.
class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, const Cancel& cancel);
  ~FileSource() override;

  std::size_t read(std::span<char> buffer) override;

 private:
  struct Close {
    void operator()(BGZF* stream) const;
  };

  void check_relay() const;
  void check_start(std::span<const char> text);
  void finish();

  const Cancel& cancel_;
  std::unique_ptr<PipeRelay> relay_;     // of what is no regular file
  std::unique_ptr<BGZF, Close> stream_;  // empty after the end; closed before the relay ends
  bool started_ = false;
};

}  // namespace virnucpro

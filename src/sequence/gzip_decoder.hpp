#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "sequence/raw_bytes.hpp"

struct libdeflate_decompressor;

namespace virnucpro {

// True if a file that begins with `start` is gzip. A file of one byte, the first of gzip's magic
// number, counts as gzip that was cut, because this byte is not text.
bool is_gzip(std::string_view start);

// Decodes gzip (RFC 1952), also of several members, and BGZF: gzip in blocks, the last of which is
// empty (SAM specification, section 4.1). zlib decompresses members, libdeflate decompresses
// blocks; this class finds them. Only zero bytes may follow the last member, because tapes and
// block devices add them. htslib 1.16 is not used: it read a gzip file of a few bytes as text, and
// in a pipe it did not distinguish zero bytes at the end from damage.
//
// If the file is damaged, next() returns the text before the damage, then throws. From a gzip
// member it returns all that can be decompressed. From BGZF it returns only whole blocks, because
// a block's CRC proves only its whole text (the size beside the CRC is not compared).
class GzipDecoder {
 public:
  explicit GzipDecoder(RawBytes& bytes);  // must be at a gzip header
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  // Returns the next part of the text, valid until the next call; empty at the end. Errors, which
  // name no place: kInputTruncated, kInputCorrupt, those of RawBytes.
  std::string_view next();

  // True if all members so far are blocks of BGZF.
  bool only_blocks() const { return only_blocks_; }
  // Returns the offset in the file of the last block whose text was returned.
  std::uint64_t block_offset() const { return block_offset_; }
  // True at the end of BGZF without the empty last block: the file may have been cut.
  bool lacks_end_marker() const { return only_blocks_ && !ends_in_marker_; }

 private:
  bool begin_member();
  bool skip_padding();
  std::string_view inflate_block();
  std::string_view inflate_some();

  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const;
  };

  RawBytes& bytes_;
  std::vector<char> text_;
  z_stream inflater_{};
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
  std::optional<Error> failure_;  // thrown by the next call of next()
  bool in_member_ = false;        // within a gzip member (a block is decoded in one step)
  bool has_begun_ = false;
  std::uint64_t block_offset_ = 0;
  bool only_blocks_ = true;
  bool ends_in_marker_ = false;
};

}  // namespace virnucpro

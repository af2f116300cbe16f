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

// Whether a file that begins so is gzip. The first byte alone is no text, and may be all that is
// left.
bool is_gzip(std::string_view start);

// Decodes gzip (RFC 1952), of several members too, and BGZF, gzip in blocks whose last one is empty
// (SAM specification, section 4.1). zlib and libdeflate inflate; what is here is how members follow
// each other, and what may follow the last: bytes of zero up to the end, as tapes and block devices
// leave them.
//
// All text before damage is returned before the error is thrown: of a gzip member every letter that
// can be inflated, of BGZF every whole block, since only its CRC proves a block's text (the size
// beside the CRC is not compared).
class GzipDecoder {
 public:
  explicit GzipDecoder(RawBytes& bytes);  // at the first byte of a gzip header
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  // The next part of the text, valid until the next call; empty at the end. Errors, without a
  // place: kInputTruncated, kInputCorrupt, those of RawBytes.
  std::string_view next();

  // Whether it is all BGZF, so far.
  bool only_blocks() const { return only_blocks_; }
  // The offset, as stored, of the block whose text was returned.
  std::uint64_t block_offset() const { return block_offset_; }
  // Whether it is all BGZF, and does not end in the empty block by which a cut is known.
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
  std::optional<Error> failure_;  // thrown by the next call
  bool in_member_ = false;        // of gzip; blocks are decoded at once
  bool has_begun_ = false;
  std::uint64_t block_offset_ = 0;
  bool only_blocks_ = true;
  bool ends_in_marker_ = false;
};

}  // namespace virnucpro

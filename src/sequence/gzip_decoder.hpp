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

// True if a file that begins with `start` is gzip. A lone first byte counts, too: it is no text,
// and may be all that is left of a gzip file.
bool is_gzip(std::string_view start);

// Decodes gzip (RFC 1952), of several members too, and BGZF, gzip in blocks whose last one is empty
// (SAM specification, section 4.1). zlib and libdeflate inflate; this class knows how members
// follow each other. Only zero bytes may follow the last one, as tapes and block devices leave
// them. htslib 1.16 is not used: it took a gzip of a few bytes for text, and could not tell padding
// from rubbish on a pipe.
//
// All text before damage is returned before the error is thrown. For a gzip member that is every
// letter that can be inflated; for BGZF every whole block, since only its CRC proves a block's text
// (the size beside the CRC is not compared).
class GzipDecoder {
 public:
  explicit GzipDecoder(RawBytes& bytes);  // at the first byte of a gzip header
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  // Returns the next part of the text, valid until the next call; empty at the end. Errors, without
  // a place: kInputTruncated, kInputCorrupt, those of RawBytes.
  std::string_view next();

  // True if all of it so far is BGZF.
  bool only_blocks() const { return only_blocks_; }
  // Returns the stored offset of the block whose text was returned.
  std::uint64_t block_offset() const { return block_offset_; }
  // True if it is all BGZF but lacks the empty last block, so it may be cut.
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

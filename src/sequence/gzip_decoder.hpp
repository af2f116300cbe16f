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

// True if a file that begins with `start` is gzip. The magic number's first byte is enough if it is
// the whole file: it is not text, and a cut gzip file may have only this byte.
bool is_gzip(std::string_view start);

// Decodes gzip (RFC 1952), also of several members, and BGZF: gzip in blocks, the last of which is
// empty (SAM specification, section 4.1). zlib and libdeflate inflate; this class goes from member
// to member. Only zero bytes may follow the last member: tapes and block devices add them. htslib
// 1.16 is not used: it took a gzip of a few bytes for text, and on a pipe it could not tell padding
// from rubbish.
//
// All text before damage is returned before the error is thrown: of a gzip member every letter that
// can be inflated; of BGZF every whole block, since only its CRC proves a block's text (the size
// beside the CRC is not compared).
class GzipDecoder {
 public:
  explicit GzipDecoder(RawBytes& bytes);  // at the first byte of a gzip header
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  // Returns the next part of the text, valid until the next call; empty at the end. Errors, without
  // a place: kInputTruncated, kInputCorrupt, those of RawBytes.
  std::string_view next();

  // True if everything so far is BGZF.
  bool only_blocks() const { return only_blocks_; }
  // Returns the offset in the file of the last block whose text was returned.
  std::uint64_t block_offset() const { return block_offset_; }
  // True if the file is BGZF but lacks the empty last block, so it may be cut.
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
  bool in_member_ = false;        // in a gzip member; BGZF blocks are decoded at once
  bool has_begun_ = false;
  std::uint64_t block_offset_ = 0;
  bool only_blocks_ = true;
  bool ends_in_marker_ = false;
};

}  // namespace virnucpro

#include "sequence/gzip_decoder.hpp"

#include <libdeflate.h>

#include <new>

#include "base/bytes.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::size_t kBlockHeader = 18;
constexpr std::size_t kBlockTrailer = 8;  // CRC and size of the text
constexpr std::size_t kBlockText = 64U << 10U;
constexpr int kGzipAlone = 15 + 16;  // zlib's windowBits: the largest window, gzip only

// True for the header of a BGZF block: a gzip header with one extra field, the block's size.
bool is_block(std::string_view head) {
  return head.size() >= kBlockHeader && head.substr(2, 2) == "\x08\x04" &&
         head.substr(10, 6) == std::string_view("\6\0BC\2\0", 6);
}

Error cut() {
  return {ErrorKind::kInputTruncated, "the compressed stream is cut"};
}

Error damaged() {
  return {ErrorKind::kInputCorrupt, "the compressed stream does not match its CRC"};
}

Error rubbish() {
  return {ErrorKind::kInputCorrupt,
          "bytes that are not gzip follow the end of the compressed stream"};
}

}  // namespace

bool is_gzip(std::string_view start) {
  return start.starts_with(kGzipMagic) || start == kGzipMagic.substr(0, 1);
}

void GzipDecoder::Free::operator()(libdeflate_decompressor* decompressor) const {
  libdeflate_free_decompressor(decompressor);
}

GzipDecoder::GzipDecoder(RawBytes& bytes)
    : bytes_(bytes), text_(kBlockText), decompressor_(libdeflate_alloc_decompressor()) {
  if (!decompressor_ || inflateInit2(&inflater_, kGzipAlone) != Z_OK) throw std::bad_alloc();
}

GzipDecoder::~GzipDecoder() {
  inflateEnd(&inflater_);
}

std::string_view GzipDecoder::next() {
  while (true) {
    if (failure_) throw Error(*failure_);
    if (!in_member_ && !begin_member()) return {};
    const std::string_view text = in_member_ ? inflate_some() : inflate_block();
    if (!text.empty()) return text;
  }
}

// Begins the next member or block. Returns false at the end of the file.
bool GzipDecoder::begin_member() {
  const std::string_view head = bytes_.peek(kBlockHeader);
  if (head.empty()) return false;
  if (has_begun_ && head.front() == '\0') return skip_padding();
  if (!head.starts_with(kGzipMagic)) throw head == kGzipMagic.substr(0, 1) ? cut() : rubbish();
  has_begun_ = true;
  in_member_ = !is_block(head);
  if (in_member_) {
    only_blocks_ = false;
    inflateReset(&inflater_);
  }
  return true;
}

// Skips zero bytes up to the end of the file and returns false. Throws if it finds another byte.
bool GzipDecoder::skip_padding() {
  for (std::string_view part = bytes_.peek(); !part.empty(); part = bytes_.peek()) {
    if (part.find_first_not_of('\0') != std::string_view::npos) throw rubbish();
    bytes_.take(part.size());
  }
  return false;
}

std::string_view GzipDecoder::inflate_block() {
  const std::size_t size = value_at<std::uint16_t>(bytes_.peek(kBlockHeader).substr(16)) + 1U;
  const std::string_view block = bytes_.peek(size).substr(0, size);
  if (block.size() < size) throw cut();
  if (size < kBlockHeader + kBlockTrailer) throw damaged();
  const std::size_t packed = size - kBlockHeader - kBlockTrailer;
  std::size_t written = 0;
  const auto result =
      libdeflate_deflate_decompress(decompressor_.get(), block.data() + kBlockHeader, packed,
                                    text_.data(), text_.size(), &written);
  const auto crc = value_at<std::uint32_t>(block.substr(size - kBlockTrailer));
  if (result != LIBDEFLATE_SUCCESS || libdeflate_crc32(0, text_.data(), written) != crc) {
    throw damaged();
  }
  block_offset_ = bytes_.taken();
  bytes_.take(size);
  ends_in_marker_ = written == 0;
  return {text_.data(), written};
}

std::string_view GzipDecoder::inflate_some() {
  inflater_.next_out = reinterpret_cast<Bytef*>(text_.data());
  inflater_.avail_out = static_cast<uInt>(text_.size());
  while (in_member_ && !failure_ && inflater_.avail_out > 0) {
    const std::string_view packed = bytes_.peek();
    // zlib does not change the input, although its pointer to it is not const.
    inflater_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    inflater_.avail_in = static_cast<uInt>(packed.size());
    const int result = inflate(&inflater_, Z_NO_FLUSH);
    bytes_.take(packed.size() - inflater_.avail_in);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (packed.empty()) {
      failure_ = cut();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      failure_ = damaged();
    }
  }
  return {text_.data(), text_.size() - inflater_.avail_out};
}

}  // namespace virnucpro

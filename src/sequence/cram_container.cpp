#include "sequence/cram_container.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kDefinitionBytes = 26;
constexpr std::uint32_t kMostBytes = 0x7fffffff;  // sizes are signed 32-bit numbers
constexpr std::int32_t kEndStart = 4'542'278;     // the letters "EOF" as a number
constexpr std::uint32_t kCompressionHeader = 1;   // a block's content type
constexpr std::uint32_t kSubstitutionBytes = 5;

// A limit for a count that a container claims: `free`, plus `of_byte` for each of its bytes.
struct Belief {
  std::uint64_t free;
  std::uint64_t of_byte;
  std::uint64_t most(std::uint64_t bytes) const { return free + of_byte * bytes; }
};

// Decompressed bytes that a container may claim, besides one for each base: a read without
// qualities stores the same byte for each base, and these bytes compress to almost nothing.
constexpr Belief kUnpacked{.free = 16U << 20U, .of_byte = 64};
// Decompressed bytes that a header may claim: few, because htslib needs many times this memory.
constexpr Belief kUnpackedHeader{.free = 1U << 20U, .of_byte = 32};
// Bases that a container may claim. Writers put about 5 million bases, or one longer read, into it.
constexpr Belief kBases{.free = 8U << 20U, .of_byte = 64};
// Records that a container may claim. Writers put 10,000 records into a slice.
constexpr Belief kRecords{.free = 1U << 16U, .of_byte = 4};
constexpr std::uint64_t kMostRecords = 1U << 20U;

[[noreturn]] void fail(ErrorKind kind, std::uint64_t offset, std::string detail) {
  Error error(kind, Place{.offset = offset}, std::move(detail));
  // The usual advice, to correct the record, does not help if a container's own numbers are wrong.
  if (kind == ErrorKind::kInputMalformed) {
    error.advise("Copy the file again, or write it anew (samtools view -C).");
  }
  throw Error(error);
}

std::uint32_t crc_of(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

// Reads an ITF8 number. The leading 1 bits of its first byte say how many bytes follow (0 to 4).
template <typename NextByte>
std::uint32_t itf8(NextByte next) {
  const std::uint32_t first = next();
  std::uint32_t more = 0;
  while (more < 4 && (first & 0x80U >> more) != 0) ++more;
  std::uint32_t value = more == 4 ? first & 0x0fU : first & 0x7fU >> more;
  for (std::uint32_t i = 0; i < more; ++i) {
    value = i == 3 ? value << 4U | (next() & 0x0fU) : value << 8U | next();
  }
  return value;
}

std::uint32_t read_itf8(ByteWindow& bytes, std::string& kept) {
  return itf8([&]() -> std::uint32_t {
    kept += bytes.read(1);
    return static_cast<unsigned char>(kept.back());
  });
}

// Reads an LTF8 number, which is like ITF8, but has one to nine bytes and 64 bits.
std::uint64_t read_ltf8(ByteWindow& bytes, std::string& kept) {
  kept += bytes.read(1);
  const std::uint64_t first = static_cast<unsigned char>(kept.back());
  std::size_t more = 0;
  while (more < 8 && (first & 0x80U >> more) != 0) ++more;
  std::uint64_t value = more >= 7 ? 0 : first & 0x7fU >> more;
  const std::string_view rest = bytes.read(more);
  kept += rest;
  for (const char byte : rest) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

// Reads a CRC, compares it with the CRC of `kept` from byte `begin` on, and appends it to `kept`.
void check_crc(ByteWindow& bytes, std::string& kept, std::size_t begin, std::uint64_t offset,
               const char* of_what) {
  const std::uint32_t found = crc_of(std::string_view(kept).substr(begin));
  const std::string_view stored = bytes.read(sizeof(std::uint32_t));
  if (value_at<std::uint32_t>(stored) != found) {
    fail(ErrorKind::kInputCorrupt, offset, fmt::format("the CRC of a CRAM {} is wrong", of_what));
  }
  kept += stored;
}

// Reads one block, appends it to `kept`, and returns its decompressed size in bytes.
std::uint64_t read_block(ByteWindow& bytes, std::string& kept, std::uint64_t room) {
  const std::uint64_t offset = bytes.offset();
  const std::size_t begin = kept.size();
  kept += bytes.read(2);  // method, content type
  const bool raw = kept[begin] == 0;
  read_itf8(bytes, kept);  // content id
  const std::uint32_t size = read_itf8(bytes, kept);
  const std::uint32_t unpacked = read_itf8(bytes, kept);
  if (size > room || unpacked > kMostBytes || (raw && size != unpacked)) {
    fail(ErrorKind::kInputMalformed, offset,
         fmt::format("a CRAM block's header gives impossible sizes: {} bytes, decompressed {}",
                     size, unpacked));
  }
  for (std::uint64_t left = size; left != 0;) {
    const std::string_view part = bytes.read_some(left);
    kept += part;
    left -= part.size();
  }
  check_crc(bytes, kept, begin, offset, "block");
  return unpacked;
}

// Refuses impossible counts: with a false count, the caller would read and keep the rest of the
// file. Landmarks are the offsets of slices, and each slice has at least one block.
void check_counts(const CramContainer& container, std::uint32_t size, std::uint32_t blocks,
                  std::uint32_t landmarks) {
  if (blocks > size || landmarks > blocks) {
    fail(ErrorKind::kInputMalformed, container.offset,
         fmt::format("a CRAM container's header gives impossible numbers: {} bytes with {} blocks "
                     "and {} slices",
                     size, blocks, landmarks));
  }
}

void check_sizes(const CramContainer& container, std::uint32_t size) {
  if (size > kMostBytes || container.records > std::min(kMostRecords, kRecords.most(size))) {
    fail(ErrorKind::kInputMalformed, container.offset,
         fmt::format("a CRAM container's header gives impossible numbers: {} bytes with {} records",
                     size, container.records));
  }
}

// Reads the start of a block's data. Sizes in it may be wrong, so reading past the end returns 0.
class BlockText {
 public:
  explicit BlockText(std::string_view text) : text_(text) {}

  std::uint32_t byte() { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_++]) : 0; }
  std::uint32_t number() {
    return itf8([this] { return byte(); });
  }
  void skip(std::uint32_t size) { at_ += std::min<std::size_t>(size, text_.size() - at_); }
  std::string_view key() {
    const std::string_view found = text_.substr(at_, 2);
    skip(2);
    return found;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Returns the flag RR (reference required) of the preservation map; true if RR cannot be found. The
// map is at the start of the compression header (section 8.4), which is the first of `blocks`.
bool requires_reference(std::string_view blocks) {
  BlockText text(blocks);
  const bool stored = text.byte() == 0;
  if (text.byte() != kCompressionHeader || !stored) return true;
  for (int i = 0; i < 4; ++i) text.number();  // content id, two sizes, bytes of the map
  for (std::uint32_t left = text.number(); left != 0; --left) {
    const std::string_view key = text.key();
    if (key == "RR") return text.byte() != 0;
    if (key == "RN" || key == "AP" || key == "QO") {
      text.byte();
    } else if (key == "SM") {
      text.skip(kSubstitutionBytes);
    } else if (key == "TD") {
      text.skip(text.number());
    } else {
      return true;
    }
  }
  return true;
}

CramContainer read_container(ByteWindow& bytes, const Belief& unpacked,
                             std::uint64_t longest_reference) {
  CramContainer container;
  container.offset = bytes.offset();
  std::string& kept = container.bytes;
  kept += bytes.read(sizeof(std::uint32_t));
  const std::uint32_t size = value_at<std::uint32_t>(kept);
  container.reference = static_cast<std::int32_t>(read_itf8(bytes, kept));
  const std::uint32_t start = read_itf8(bytes, kept);
  read_itf8(bytes, kept);  // span
  container.records = read_itf8(bytes, kept);
  read_ltf8(bytes, kept);  // records before the container
  const std::uint64_t bases = read_ltf8(bytes, kept);
  const std::uint32_t blocks = read_itf8(bytes, kept);
  const std::uint32_t landmarks = read_itf8(bytes, kept);
  check_sizes(container, size);
  check_counts(container, size, blocks, landmarks);
  container.bases = std::min(bases, kBases.most(size) + landmarks * longest_reference);
  for (std::uint32_t i = 0; i < landmarks; ++i) read_itf8(bytes, kept);
  check_crc(bytes, kept, 0, container.offset, "container header");
  const std::size_t header = kept.size();
  for (std::uint32_t i = 0; i < blocks; ++i) {
    container.unpacked += read_block(bytes, kept, size);
    if (kept.size() - header > size) {
      fail(ErrorKind::kInputMalformed, container.offset,
           fmt::format("a CRAM container's blocks are longer than its header says ({} bytes)",
                       size));
    }
  }
  if (container.unpacked > unpacked.most(size) + container.bases) {
    fail(ErrorKind::kInputMalformed, container.offset,
         fmt::format("a CRAM container of {} bytes cannot decompress to {} bytes", size,
                     container.unpacked));
  }
  for (std::uint64_t left = size - (kept.size() - header); left != 0;) {  // padding
    const std::string_view part = bytes.read_some(left);
    kept += part;
    left -= part.size();
  }
  container.needs_reference = requires_reference(std::string_view(kept).substr(header));
  container.end = container.reference == -1 && start == kEndStart && container.records == 0;
  return container;
}

}  // namespace

std::string read_cram_definition(ByteWindow& bytes) {
  std::string definition(bytes.read(kDefinitionBytes));
  const int major = static_cast<unsigned char>(definition[4]);
  const int minor = static_cast<unsigned char>(definition[5]);
  if (!definition.starts_with("CRAM") || major != 3 || minor > 1) {
    fail(ErrorKind::kInputFormat, 0,
         fmt::format(
             "CRAM {}.{} cannot be read, only 3.0 and 3.1. Convert it: samtools fastq FILE | "
             "virnucpro predict -",
             major, minor));
  }
  return definition;
}

CramContainer read_cram_container(ByteWindow& bytes, std::uint64_t longest_reference) {
  return read_container(bytes, kUnpacked, longest_reference);
}

CramContainer read_cram_header(ByteWindow& bytes) {
  return read_container(bytes, kUnpackedHeader, 0);
}

}  // namespace virnucpro

#include "weights/zip_file.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "weights/file_reader.hpp"

namespace virnucpro {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kLocatorSize = 20;
constexpr std::uint64_t kMaxComment = 0xffff;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the value is in the ZIP64 field
constexpr std::uint16_t kIn64Short = 0xffff;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kSizesFollow = 8;  // the local header leaves CRC and sizes empty
constexpr std::uint64_t kMaxEntries = 1U << 20U;

// Facts about the ZIP's directory from the end record; size and offset are in bytes.
struct Directory {
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

struct Member {
  std::string name;
  std::uint32_t crc32 = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;
};

class ZipReader {
 public:
  explicit ZipReader(const SteadyFile& file) : file_(file), reader_(file) {}

  std::vector<ZipEntry> read() {
    const Directory directory = find_directory();
    std::vector<ZipEntry> entries;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
    std::uint64_t place = directory.offset;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
      reader_.seek(place);
      Member member = read_member();
      place = reader_.offset();
      if (place > directory.offset + directory.size) {
        malformed(
            fmt::format("the ZIP's directory is longer than the {} bytes that the end record gives",
                        directory.size));
      }
      const auto data = find_data(member, directory.offset);
      extents.emplace_back(member.header_offset, reader_.offset());
      entries.push_back(ZipEntry{std::move(member.name), {data, member.crc32}});
    }
    check_overlaps(std::move(extents));
    return entries;
  }

 private:
  [[noreturn]] void malformed(std::string detail) const {
    reader_.fail(ErrorKind::kWeightsFormat, std::move(detail));
  }

  void expect(std::uint32_t signature, std::string_view what) {
    if (reader_.number<std::uint32_t>() != signature) {
      malformed(fmt::format("{} is missing", what));
    }
  }

  Directory find_directory() {
    const std::uint64_t end = find_end();
    reader_.seek(end + 8);
    Directory directory;
    directory.entries = reader_.number<std::uint16_t>();
    const auto total = reader_.number<std::uint16_t>();
    directory.size = reader_.number<std::uint32_t>();
    directory.offset = reader_.number<std::uint32_t>();
    if (directory.entries != total)
      malformed("the file is only one part of a ZIP in several parts");
    if (total == kIn64Short || directory.size == kIn64 || directory.offset == kIn64) {
      directory = read_directory64(end);
    }
    if (directory.entries > kMaxEntries) {
      malformed(
          fmt::format("the ZIP has {} members; the limit is {}", directory.entries, kMaxEntries));
    }
    if (!range_within(directory.offset, directory.size, end)) {
      malformed(fmt::format("the ZIP's directory (offset {}, {} bytes) does not fit in the file",
                            directory.offset, directory.size));
    }
    return directory;
  }

  // Returns the offset of the end record. Only a comment may follow this record.
  std::uint64_t find_end() {
    const std::uint64_t size = reader_.size();
    const std::uint64_t last = size < kEndSize ? 0 : size - kEndSize;
    const std::uint64_t first = last > kMaxComment ? last - kMaxComment : 0;
    std::vector<std::byte> bytes(size - first);
    file_.read(first, bytes);
    const std::string_view tail = as_text(bytes);
    for (std::uint64_t place = last + 1; size >= kEndSize && place-- > first;) {
      if (value_at<std::uint32_t>(tail, place - first) != kEnd) continue;
      const auto comment = value_at<std::uint16_t>(tail, place - first + kEndSize - 2);
      if (comment == size - place - kEndSize) return place;
    }
    reader_.seek(size);
    reader_.fail(ErrorKind::kWeightsTruncated, "the directory at the end of the ZIP is missing");
  }

  Directory read_directory64(std::uint64_t end) {
    if (end < kLocatorSize) malformed("the ZIP64 locator is missing");
    reader_.seek(end - kLocatorSize);
    expect(kEnd64Locator, "the ZIP64 locator");
    reader_.skip(4);
    reader_.seek(reader_.number<std::uint64_t>());
    expect(kEnd64, "the ZIP64 end record");
    reader_.skip(20);
    Directory directory;
    directory.entries = reader_.number<std::uint64_t>();
    if (reader_.number<std::uint64_t>() != directory.entries) {
      malformed("the file is only one part of a ZIP in several parts");
    }
    directory.size = reader_.number<std::uint64_t>();
    directory.offset = reader_.number<std::uint64_t>();
    return directory;
  }

  Member read_member() {
    expect(kDirectoryHeader, "an entry of the ZIP's directory");
    reader_.skip(4);
    const auto flags = reader_.number<std::uint16_t>();
    const auto method = reader_.number<std::uint16_t>();
    reader_.skip(4);
    Member member;
    member.crc32 = reader_.number<std::uint32_t>();
    std::uint64_t packed = reader_.number<std::uint32_t>();
    member.size = reader_.number<std::uint32_t>();
    const auto name_size = reader_.number<std::uint16_t>();
    const auto extra_size = reader_.number<std::uint16_t>();
    const auto comment_size = reader_.number<std::uint16_t>();
    reader_.skip(8);
    member.header_offset = reader_.number<std::uint32_t>();
    member.name = reader_.text(name_size);
    const std::uint64_t extra_end = reader_.offset() + extra_size;
    read_zip64(extra_end, member.size, packed, member.header_offset);
    reader_.seek(extra_end);
    reader_.skip(comment_size);
    if ((flags & kEncrypted) != 0)
      malformed(fmt::format("ZIP member {} is encrypted", member.name));
    if (method != 0 || packed != member.size) {
      malformed(
          fmt::format("ZIP member {} is compressed; torch.save does not compress", member.name));
    }
    return member;
  }

  // Reads the ZIP64 field: the values that exceed 32 bits, in the order `size`, `packed`, `offset`.
  void read_zip64(std::uint64_t extra_end, std::uint64_t& size, std::uint64_t& packed,
                  std::uint64_t& offset) {
    while (reader_.offset() + 4 <= extra_end) {
      const auto id = reader_.number<std::uint16_t>();
      const auto length = reader_.number<std::uint16_t>();
      if (reader_.offset() + length > extra_end)
        malformed("an extra field of a ZIP member is too long");
      const std::uint64_t next = reader_.offset() + length;
      if (id == kZip64Field) {
        for (std::uint64_t* value : {&size, &packed, &offset}) {
          if (*value != kIn64) continue;
          if (reader_.offset() + 8 > next)
            malformed("the ZIP64 field of a ZIP member is too short");
          *value = reader_.number<std::uint64_t>();
        }
        return;
      }
      reader_.seek(next);
    }
  }

  // Returns the extent of a member's bytes, and moves the reader to the first byte after them.
  Extent find_data(const Member& member, std::uint64_t directory_offset) {
    reader_.seek(member.header_offset);
    expect(kLocalHeader, fmt::format("the local header of ZIP member {}", member.name));
    reader_.skip(2);
    const auto flags = reader_.number<std::uint16_t>();
    const auto method = reader_.number<std::uint16_t>();
    reader_.skip(4);
    const auto crc32 = reader_.number<std::uint32_t>();
    reader_.skip(4);
    const auto size = reader_.number<std::uint32_t>();
    const auto name_size = reader_.number<std::uint16_t>();
    const auto extra_size = reader_.number<std::uint16_t>();
    const bool agrees = (flags & kSizesFollow) != 0 ||
                        (crc32 == member.crc32 && (size == member.size || size == kIn64));
    if (reader_.text(name_size) != member.name || method != 0 || !agrees) {
      malformed(
          fmt::format("local header and directory of the ZIP disagree on member {}", member.name));
    }
    reader_.skip(extra_size);
    if (!range_within(reader_.offset(), member.size, directory_offset)) {
      malformed(fmt::format("ZIP member {} reaches into the ZIP's directory", member.name));
    }
    return reader_.skip(member.size);
  }

  void check_overlaps(std::vector<std::pair<std::uint64_t, std::uint64_t>> extents) const {
    std::sort(extents.begin(), extents.end());
    for (std::size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].first < extents[i - 1].second) malformed("two members of the ZIP overlap");
    }
  }

  const SteadyFile& file_;
  FileReader reader_;
};

}  // namespace

std::vector<ZipEntry> read_zip(const SteadyFile& file) {
  return ZipReader(file).read();
}

std::uint32_t zip_crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}

std::uint32_t zip_crc32(const SteadyFile& file, const Extent& part) {
  std::uint32_t crc = 0;
  file.visit(part, [&crc](std::span<const std::byte> block) { crc = zip_crc32(block, crc); });
  return crc;
}

void check_crc(const ZipEntry& entry, const SteadyFile& file) {
  if (zip_crc32(file, entry.record.extent) != entry.record.crc32) {
    throw Error(ErrorKind::kWeightsCorrupt, Place{.file = file.path().string()},
                fmt::format("the checksum (CRC-32) of ZIP member {} is wrong", entry.name));
  }
}

}  // namespace virnucpro

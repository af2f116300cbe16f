#include "sequence/bam_tags.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kTagHead = 3;    // bytes: a name of two letters and a type
constexpr std::size_t kArrayHead = 5;  // bytes: the elements' type and their number

// Returns the size in bytes of a value of this type; 0 if its size varies or the type is unknown.
std::size_t size_of_type(char type) {
  switch (type) {
    case 'A':
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
      return 2;
    case 'i':
    case 'I':
    case 'f':
      return 4;
    default:
      return 0;
  }
}

// Returns the integer in `bytes`; empty if `type` is not an integer type.
std::optional<std::int64_t> integer_of(char type, std::string_view bytes) {
  switch (type) {
    case 'c':
      return value_at<std::int8_t>(bytes);
    case 'C':
      return value_at<std::uint8_t>(bytes);
    case 's':
      return value_at<std::int16_t>(bytes);
    case 'S':
      return value_at<std::uint16_t>(bytes);
    case 'i':
      return value_at<std::int32_t>(bytes);
    case 'I':
      return value_at<std::uint32_t>(bytes);
    default:
      return std::nullopt;
  }
}

// Reads the tags of a record, and never reads beyond the record's end.
class TagReader {
 public:
  TagReader(ByteWindow& bytes, std::uint64_t size) : bytes_(bytes), left_(size) {}

  BamTags read() {
    while (left_ != 0) read_tag();
    return std::move(found_);
  }

 private:
  void read_tag() {
    begin_ = bytes_.offset();
    const std::string head(take(kTagHead));
    const std::string name = head.substr(0, 2);
    const char type = head[2];
    if (type == 'B') return read_array(name);
    if (type == 'Z' || type == 'H') return skip_text(name);
    const std::size_t size = size_of_type(type);
    if (size == 0) fail(fmt::format("the tag {} has the unknown type {}", name, type));
    const std::string_view value = take(size);
    if (name == "NM") keep_distance(integer_of(type, value));
  }

  void read_array(const std::string& name) {
    refuse_distance(name);
    const std::string head(take(kArrayHead));
    const char type = head[0];
    const std::uint64_t count = value_at<std::uint32_t>(head, 1);
    const std::size_t size = type == 'A' ? 0 : size_of_type(type);
    if (size == 0) fail(fmt::format("the array in the tag {} has the unknown type {}", name, type));
    count_off(count * size);
    if (name == "CG" && type == 'I') return read_cigar(count);
    bytes_.skip(count * size);
  }

  void read_cigar(std::uint64_t count) {
    if (found_.cigar) fail("the tag CG occurs twice");
    CigarSums cigar;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!add_bam_operation(cigar, bytes_.read_u32())) {
        fail("the tag CG holds an operation that is unknown or too long");
      }
    }
    found_.cigar = cigar;
  }

  void skip_text(const std::string& name) {
    refuse_distance(name);
    const std::uint64_t size = bytes_.skip_past('\0', left_);
    if (size == 0) fail(fmt::format("the text of the tag {} does not end with a NUL byte", name));
    left_ -= size;
  }

  void keep_distance(std::optional<std::int64_t> value) {
    if (!value || *value < 0) fail("the tag NM is not a number, or is negative");
    if (found_.edit_distance) fail("the tag NM occurs twice");
    found_.edit_distance = static_cast<std::uint64_t>(*value);
  }

  void refuse_distance(const std::string& name) const {
    if (name == "NM") fail("the tag NM is not a number, or is negative");
  }

  std::string_view take(std::size_t size) {
    count_off(size);
    return bytes_.read(size);
  }

  void count_off(std::uint64_t size) {
    if (size > left_) {
      fail(fmt::format("a tag needs {} bytes, but the record has only {} left", size, left_));
    }
    left_ -= size;
  }

  [[noreturn]] void fail(std::string detail) const {
    throw Error(ErrorKind::kInputMalformed, Place{.offset = begin_}, std::move(detail));
  }

  ByteWindow& bytes_;
  std::uint64_t left_;
  std::uint64_t begin_ = 0;  // the tag's offset in bytes
  BamTags found_;
};

}  // namespace

BamTags read_bam_tags(ByteWindow& bytes, std::uint64_t size) {
  return TagReader(bytes, size).read();
}

bool add_bam_operation(CigarSums& cigar, std::uint32_t operation) {
  constexpr std::string_view kOperations = "MIDNSHP=X";
  const std::uint32_t code = operation & 15U;
  return code < kOperations.size() && cigar.add(kOperations[code], operation >> 4U);
}

}  // namespace virnucpro

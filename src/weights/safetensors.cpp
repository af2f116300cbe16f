#include "weights/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "weights/file_reader.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMaxDimensions = 8;

// A tensor's member of the JSON header, as far as it was read.
struct HeaderEntry {
  std::string name;
  std::string dtype{};
  Shape shape{};
  Shape offsets{};  // begin and end, in bytes from the start of the data
  bool has_shape = false;
};

class HeaderVisitor : public JsonVisitor {
 public:
  explicit HeaderVisitor(const std::string& file) : file_(file) {}

  void open(const JsonPath& path, bool is_object) override {
    if (is_metadata(path)) return;
    if (path.size() == 1 && is_object) {
      entries_.push_back(HeaderEntry{.name = path[0].key});
    } else if (path.size() == 2 && !is_object && path[1].key == "shape") {
      entries_.back().has_shape = true;
    } else if (path.size() != (is_object ? 0U : 2U)) {
      fail(path, "the header does not follow the safetensors format");
    }
  }

  void scalar(const JsonPath& path, JsonScalar value) override {
    if (is_metadata(path)) return keep_origin(path, std::move(value));
    if (path.size() == 2 && path[1].key == "dtype" && std::holds_alternative<std::string>(value)) {
      entries_.back().dtype = std::get<std::string>(std::move(value));
    } else if (path.size() == 3 && path[2].is_element && path[1].key == "shape") {
      append(path, entries_.back().shape, kMaxDimensions, value);
    } else if (path.size() == 3 && path[2].is_element && path[1].key == "data_offsets") {
      append(path, entries_.back().offsets, 2, value);
    } else {
      fail(path, path.size() < 2
                     ? "the header does not follow the safetensors format"
                     : fmt::format("the header has an unexpected value in \"{}\"", path[1].key));
    }
  }

  std::vector<HeaderEntry> release_entries() { return std::move(entries_); }
  std::string release_origin() { return std::move(origin_); }

 private:
  static bool is_metadata(const JsonPath& path) {
    return !path.empty() && path[0].key == "__metadata__";
  }

  void keep_origin(const JsonPath& path, JsonScalar value) {
    auto* text = std::get_if<std::string>(&value);
    if (path.size() == 2 && path[1].key == "origin" && text != nullptr) origin_ = std::move(*text);
  }

  void append(const JsonPath& path, Shape& numbers, std::size_t limit, const JsonScalar& value) {
    const auto* number = std::get_if<std::uint64_t>(&value);
    if (number == nullptr) {
      fail(path, fmt::format("\"{}\" in the header holds a value that is not a whole number",
                             path[1].key));
    }
    if (numbers.size() == limit) {
      fail(path,
           fmt::format("\"{}\" in the header holds more than {} numbers", path[1].key, limit));
    }
    numbers.push_back(*number);
  }

  [[noreturn]] void fail(const JsonPath& path, std::string detail) const {
    throw Error(ErrorKind::kWeightsFormat,
                Place{.file = file_, .tensor = path.empty() ? "" : path[0].key}, std::move(detail));
  }

  const std::string& file_;
  std::vector<HeaderEntry> entries_;
  std::string origin_;
};

std::uint64_t byte_count(const HeaderEntry& entry, DType dtype, const Place& place) {
  const auto elements = element_count(entry.shape);
  const auto bytes =
      elements ? checked_mul<std::uint64_t>(*elements, size_of(dtype)) : std::nullopt;
  if (!bytes) {
    throw Error(ErrorKind::kWeightsFormat, place,
                "shape " + shape_text(entry.shape) + " has too many elements");
  }
  return *bytes;
}

StoredTensor place_tensor(HeaderEntry entry, std::uint64_t expected_begin, const Extent& data,
                          const std::string& file) {
  const Place place{.file = file, .tensor = entry.name};
  const auto dtype = dtype_named(entry.dtype);
  if (!dtype) {
    throw Error(ErrorKind::kWeightsFormat, place,
                "numbers of type \"" + entry.dtype + "\" cannot be read");
  }
  const std::uint64_t begin = entry.offsets[0];
  const std::uint64_t end = entry.offsets[1];
  if (begin != expected_begin || end < begin) {
    throw Error(ErrorKind::kWeightsFormat, place,
                fmt::format("the tensor's data lie at bytes {} to {}, but should begin at byte {}",
                            begin, end, expected_begin));
  }
  if (end - begin != byte_count(entry, *dtype, place)) {
    throw Error(ErrorKind::kWeightsFormat, place,
                fmt::format("the tensor's data have {} bytes, which do not fit shape {} of type {}",
                            end - begin, shape_text(entry.shape), entry.dtype));
  }
  if (end > data.size) {
    throw Error(ErrorKind::kWeightsTruncated, place,
                fmt::format("the tensor's data end at byte {}, but the file's data end at byte {}",
                            end, data.size));
  }
  return StoredTensor{.name = std::move(entry.name),
                      .dtype = *dtype,
                      .shape = std::move(entry.shape),
                      .strides = {},
                      .extent = {data.offset + begin, end - begin},
                      .record = std::nullopt};
}

}  // namespace

Safetensors parse_safetensors(const SteadyFile& from) {
  const std::string file = from.path().string();
  FileReader reader(from);
  const auto header_size = reader.number<std::uint64_t>();
  if (header_size > kMaxJsonBytes) {
    reader.fail(ErrorKind::kWeightsFormat, fmt::format("the header has {} bytes; the limit is {}",
                                                       header_size, kMaxJsonBytes));
  }
  HeaderVisitor visitor(file);
  walk_json(reader.text(header_size), file, visitor);
  std::vector<HeaderEntry> entries = visitor.release_entries();
  for (const HeaderEntry& entry : entries) {
    if (entry.offsets.size() != 2 || !entry.has_shape) {
      throw Error(ErrorKind::kWeightsFormat, Place{.file = file, .tensor = entry.name},
                  "the header has no shape or no data_offsets for this tensor");
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.offsets < b.offsets; });

  const Extent data{reader.offset(), reader.size() - reader.offset()};
  Safetensors result{.origin = visitor.release_origin()};
  std::uint64_t end = 0;
  for (HeaderEntry& entry : entries) {
    result.tensors.push_back(place_tensor(std::move(entry), end, data, file));
    end += result.tensors.back().extent.size;
  }
  if (end != data.size) {
    reader.fail(
        ErrorKind::kWeightsFormat,
        fmt::format("{} bytes that belong to no tensor follow the last tensor", data.size - end));
  }
  return result;
}

}  // namespace virnucpro

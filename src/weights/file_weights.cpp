#include "weights/file_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "weights/stored_tensor.hpp"
#include "weights/zip_file.hpp"

namespace virnucpro {
namespace {

constexpr std::uint32_t kMaxLayers = 4096;

// Throws if `crc`, computed over the tensor's ZIP member, is not the stored CRC.
void check_crc(std::uint32_t crc, const LocatedTensor& source, const std::string& name) {
  if (crc == source.tensor.record->crc32) return;
  throw Error(ErrorKind::kWeightsCorrupt,
              Place{.file = source.file->path().string(), .tensor = name},
              "the checksum (CRC-32) of the tensor's ZIP member is wrong");
}

void check_record(const LocatedTensor& source, const std::string& name) {
  const std::uint32_t crc = zip_crc32(*source.file, source.tensor.record->extent);
  source.file->check_unchanged();
  check_crc(crc, source, name);
}

// Reads contiguous elements. If the tensor is a whole ZIP record, the same pass computes its
// checksum. If it is only a part of a record, the constructor checks the whole record.
class DenseStream : public TensorStream {
 public:
  DenseStream(const LocatedTensor& source, const std::string& name)
      : source_(source), name_(name), next_(source.tensor.extent.offset) {
    const auto& record = source_.tensor.record;
    if (!record) return;
    whole_record_ = record->extent.size == source_.tensor.extent.size;
    if (!whole_record_) check_record(source_, name_);
  }

  void fill(std::span<float> next) override {
    const auto part = read(next);
    if (whole_record_) crc_ = zip_crc32(part, crc_);
    if (source_.tensor.dtype != DType::kF32) convert_to_f32(source_.tensor.dtype, part, next);
    next_ += part.size();
  }

  void finish() override {
    source_.file->check_unchanged();  // before check_crc(): a changed file has a wrong CRC
    if (whole_record_) check_crc(crc_, source_, name_);
  }

 private:
  // Reads the next values as stored: fp32 directly into `next`, other types into a buffer.
  std::span<const std::byte> read(std::span<float> next) {
    std::span<std::byte> part = std::as_writable_bytes(next);
    if (source_.tensor.dtype != DType::kF32) {
      stored_.resize(next.size() * size_of(source_.tensor.dtype));
      part = stored_;
    }
    source_.file->read(next_, part);
    return part;
  }

  const LocatedTensor& source_;
  const std::string name_;
  std::uint64_t next_;  // the next value's byte offset in the file
  bool whole_record_ = false;
  std::uint32_t crc_ = 0;
  std::vector<std::byte> stored_;
};

// Reads a transposed or sliced tensor in row-major order, by its strides. The constructor copies
// all bytes from the first to the last element. But if most of these bytes belong to other tensors,
// fill() reads each element from the file instead.
class StridedStream : public TensorStream {
 public:
  StridedStream(const LocatedTensor& source, const std::string& name)
      : source_(source), index_(source.tensor.shape.size(), 0) {
    if (source_.tensor.record) check_record(source_, name);
    const Extent& extent = source_.tensor.extent;
    const std::uint64_t own =
        element_count(source_.tensor.shape).value_or(0) * size_of(source_.tensor.dtype);
    if (extent.size / kMostOthers > own) return;
    copy_.resize(extent.size);
    source_.file->read(extent.offset, copy_);
  }

  void fill(std::span<float> next) override {
    const StoredTensor& tensor = source_.tensor;
    for (float& value : next) {
      const std::uint64_t element =
          std::inner_product(index_.begin(), index_.end(), tensor.strides.begin(), 0UL);
      convert_to_f32(tensor.dtype, stored(element * size_of(tensor.dtype)), {&value, 1});
      advance();
    }
  }

  void finish() override { source_.file->check_unchanged(); }

 private:
  static constexpr std::uint64_t kMostOthers = 2;  // copy at most this many bytes per tensor byte

  // Returns the bytes of the element that begins `offset` bytes after the first element.
  std::span<const std::byte> stored(std::uint64_t offset) {
    const std::size_t size = size_of(source_.tensor.dtype);
    if (!copy_.empty()) return std::span(copy_).subspan(offset, size);
    const auto element = std::span(element_).first(size);
    source_.file->read(source_.tensor.extent.offset + offset, element);
    return element;
  }

  void advance() {
    for (std::size_t i = index_.size(); i-- > 0;) {
      if (++index_[i] < source_.tensor.shape[i]) return;
      index_[i] = 0;
    }
  }

  const LocatedTensor& source_;
  Shape index_;
  std::vector<std::byte> copy_;
  std::array<std::byte, sizeof(float)> element_{};
};

class FileWeights : public CheckedWeights {
 public:
  explicit FileWeights(const ModelFiles& model) : unclaimed_(bytes_in(model)) {
    origin_ = model.path.string();
    synthetic_ = model.synthetic;
  }

  // Adds a tensor. All tensors together may not be larger than the files. Otherwise strides of
  // zero, or many tensors in one storage, would let a small file need any amount of memory.
  void add(const std::string& name, const LocatedTensor& source, bool non_negative) {
    const auto elements = element_count(source.tensor.shape);
    const auto bytes = elements
                           ? checked_mul<std::uint64_t>(*elements, size_of(source.tensor.dtype))
                           : std::nullopt;
    if (!bytes || *bytes > unclaimed_) {
      throw Error(
          ErrorKind::kWeightsFormat, Place{.file = source.file->path().string(), .tensor = name},
          "this tensor and those read before it need more bytes than the files have: tensors "
          "share a storage. Save a copy of each (in PyTorch, tensor.clone())");
    }
    unclaimed_ -= *bytes;
    sources_.emplace(name, source);
    tensors_.emplace(name, Tensor{source.tensor.shape, non_negative});
  }

 private:
  bool was_touched() const override {
    return std::ranges::any_of(
        sources_, [](const auto& source) { return source.second.file->was_touched(); });
  }

  static std::uint64_t bytes_in(const ModelFiles& model) {
    std::set<const SteadyFile*> files;
    for (const auto& [name, located] : model.tensors) files.insert(located.file.get());
    std::uint64_t bytes = 0;
    for (const SteadyFile* file : files) bytes += file->size();
    return bytes;
  }

  std::unique_ptr<TensorStream> open(const std::string& name) const override {
    const LocatedTensor& source = sources_.at(name);
    if (source.tensor.strides.empty()) return std::make_unique<DenseStream>(source, name);
    return std::make_unique<StridedStream>(source, name);
  }

  std::map<std::string, LocatedTensor> sources_;
  std::uint64_t unclaimed_;  // bytes of the files that no tensor has used so far
};

void check_tensor(const LocatedTensor& source, const std::string& name, const Shape& expected) {
  const Place place{.file = source.file->path().string(), .tensor = name};
  const std::string called =
      source.tensor.name == name
          ? ""
          : fmt::format(" (the tensor's name in the file is {})", source.tensor.name);
  if (source.tensor.shape != expected) {
    throw Error(ErrorKind::kWeightsTensor, place,
                fmt::format("shape {}{}, expected {}", shape_text(source.tensor.shape), called,
                            shape_text(expected)));
  }
  if (!is_weight_type(source.tensor.dtype)) {
    throw Error(ErrorKind::kWeightsTensor, place,
                fmt::format("the numbers have type {}{}, expected F32, F16 or BF16",
                            name_of(source.tensor.dtype), called));
  }
}

[[noreturn]] void missing(const ModelFiles& model, const NameRow& row, std::uint32_t layer) {
  std::string also;
  if (!row.also.empty()) {
    also = fmt::format(", also under the tensor's other name {}", layer_name(row.also, layer));
  }
  throw Error(ErrorKind::kWeightsTensor,
              Place{.file = model.path.string(), .tensor = layer_name(row.name, layer)},
              "missing" + also);
}

}  // namespace

const LocatedTensor* find_tensor(const ModelFiles& model, const NameTable& table,
                                 const NameRow& row, std::uint32_t layer) {
  const auto look_up = [&](std::string_view pattern) -> const LocatedTensor* {
    if (pattern.empty()) return nullptr;
    const std::string name = layer_name(pattern, layer);
    for (const std::string_view prefix : table.prefixes) {
      const auto found = model.tensors.find(std::string(prefix) + name);
      if (found != model.tensors.end()) return &found->second;
    }
    return nullptr;
  };
  const LocatedTensor* found = look_up(row.name);
  return found != nullptr ? found : look_up(row.also);
}

const LocatedTensor& require_tensor(const ModelFiles& model, const NameTable& table,
                                    std::string_view name) {
  for (const NameRow& row : table.rows) {
    if (row.name != name) continue;
    const LocatedTensor* found = find_tensor(model, table, row);
    if (found == nullptr) missing(model, row, 0);
    return *found;
  }
  throw Error(ErrorKind::kInternal,
              fmt::format("the tensor {} is not in this model's name table", name));
}

std::uint32_t count_layers(const ModelFiles& model, const NameTable& table, std::string_view name) {
  for (const NameRow& row : table.rows) {
    if (row.name != name) continue;
    std::uint32_t layers = 0;
    while (layers < kMaxLayers && find_tensor(model, table, row, layers) != nullptr) ++layers;
    return layers;
  }
  throw Error(ErrorKind::kInternal,
              fmt::format("the tensor {} is not in this model's name table", name));
}

std::unique_ptr<CheckedWeights> make_file_weights(const ModelFiles& model, const NameTable& table,
                                                  const DimSizes& sizes, std::uint32_t layers) {
  auto weights = std::make_unique<FileWeights>(model);
  for (const NameRow& row : table.rows) {
    for (std::uint32_t layer = 0; layer < (is_per_layer(row) ? layers : 1U); ++layer) {
      const LocatedTensor* source = find_tensor(model, table, row, layer);
      if (source == nullptr && (row.traits & kOptional) != 0) continue;
      if (source == nullptr) missing(model, row, layer);
      const std::string name = layer_name(row.name, layer);
      check_tensor(*source, name, shape_of(row, sizes));
      weights->add(name, *source, (row.traits & kNonNegative) != 0);
    }
  }
  return weights;
}

}  // namespace virnucpro

#include "weights/torch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMaxTupleItems = 8;
constexpr std::size_t kMaxKey = 1024;  // bytes of a storage's key, which a pickle may repeat often

struct StorageRow {
  std::string_view global;
  DType dtype;
};

constexpr std::array kStorageTypes{
    StorageRow{"torch.FloatStorage", DType::kF32},
    StorageRow{"torch.HalfStorage", DType::kF16},
    StorageRow{"torch.BFloat16Storage", DType::kBF16},
    StorageRow{"torch.DoubleStorage", DType::kF64},
    StorageRow{"torch.LongStorage", DType::kI64},
    StorageRow{"torch.IntStorage", DType::kI32},
    StorageRow{"torch.ShortStorage", DType::kI16},
    StorageRow{"torch.CharStorage", DType::kI8},
    StorageRow{"torch.ByteStorage", DType::kU8},
    StorageRow{"torch.BoolStorage", DType::kBool},
};

}  // namespace

TorchFile::TorchFile(const SteadyFile& file, const PickleLimits& limits,
                     std::span<const AllowedGlobal> globals)
    : file_(file), path_(file.path().string()) {
  for (ZipEntry& entry : read_zip(file_)) {
    const std::string name = entry.name;
    if (!members_.emplace(name, std::move(entry)).second) {
      malformed(fmt::format("ZIP member {} occurs twice", name));
    }
  }
  const ZipEntry& pickle = find_pickle();
  check_byte_order();
  check_crc(pickle, file_);
  pickle_ = beginning_of(pickle, limits.bytes + 1);  // the extra byte shows a pickle over the limit
  document_ =
      read_pickle(as_bytes(pickle_), fmt::format("{}/{}", path_, pickle.name), limits, globals);
}

void TorchFile::check_members() const {
  for (const auto& [name, entry] : members_) check_crc(entry, file_);
}

void TorchFile::malformed(std::string detail) const {
  throw Error(ErrorKind::kWeightsFormat, Place{.file = path_}, std::move(detail));
}

void TorchFile::malformed(const std::string& tensor, std::string detail) const {
  throw Error(ErrorKind::kWeightsFormat, Place{.file = path_, .tensor = tensor}, std::move(detail));
}

// Finds data.pkl in the ZIP's top folder, which torch names after the file that it writes.
const ZipEntry& TorchFile::find_pickle() {
  constexpr std::string_view kName = "/data.pkl";
  for (const auto& [name, entry] : members_) {
    if (name.ends_with(kName) && name.find('/') == name.size() - kName.size()) {
      folder_ = name.substr(0, name.size() - kName.size() + 1);
      return entry;
    }
  }
  malformed("the ZIP has no data.pkl, so torch.save did not write it");
}

void TorchFile::check_byte_order() const {
  const auto found = members_.find(folder_ + "byteorder");
  if (found == members_.end()) return;  // a file of torch before 2.0, always little-endian
  check_crc(found->second, file_);
  constexpr std::string_view kLittle = "little";
  if (beginning_of(found->second, kLittle.size() + 1) != kLittle) {
    malformed("the file's numbers are not little-endian");
  }
}

std::string TorchFile::beginning_of(const ZipEntry& member, std::size_t most) const {
  const Extent& extent = member.record.extent;
  std::string text(std::min<std::uint64_t>(extent.size, most), '\0');
  file_.read(extent.offset, std::as_writable_bytes(std::span(text)));
  return text;
}

StoredTensor TorchFile::tensor(const std::string& name, const PickleNode& node) const {
  const PickleNode& storage = document_[node.items[0]];
  const PickleNode& offset = document_[node.items[1]];
  if (storage.type != PickleType::kStorage || offset.type != PickleType::kInt ||
      offset.integer < 0) {
    malformed(name, "the tensor's description does not have the form that torch writes");
  }
  StoredTensor tensor{.name = name,
                      .dtype = dtype_of(storage),
                      .shape = numbers(name, document_[node.items[2]]),
                      .strides = numbers(name, document_[node.items[3]]),
                      .extent = {},
                      .record = record_of(name, storage)};
  place_bytes(tensor, static_cast<std::uint64_t>(offset.integer));
  return tensor;
}

DType TorchFile::dtype_of(const PickleNode& storage) const {
  const std::string_view type = document_[storage.items[1]].text;
  for (const StorageRow& row : kStorageTypes) {
    if (row.global == type) return row.dtype;
  }
  malformed(fmt::format("storages of type {} cannot be read", type));
}

Shape TorchFile::numbers(const std::string& name, const PickleNode& tuple) const {
  if (tuple.type != PickleType::kTuple || tuple.items.size() > kMaxTupleItems) {
    malformed(name,
              fmt::format("the tensor's shape or strides are not a tuple of at most {} numbers",
                          kMaxTupleItems));
  }
  Shape values;
  for (const PickleId id : tuple.items) {
    const PickleNode& value = document_[id];
    if (value.type != PickleType::kInt || value.integer < 0) {
      malformed(name, "the tensor's shape or strides are not whole numbers");
    }
    values.push_back(static_cast<std::uint64_t>(value.integer));
  }
  return values;
}

CheckedRecord TorchFile::record_of(const std::string& name, const PickleNode& storage) const {
  const PickleNode& elements = document_[storage.items[4]];
  const std::string_view key = document_[storage.items[2]].text;
  if (key.size() > kMaxKey) {
    malformed(name,
              fmt::format("the name of the tensor's storage is too long: {} bytes; the limit is {}",
                          key.size(), kMaxKey));
  }
  const std::string member = fmt::format("{}data/{}", folder_, key);
  const auto found = members_.find(member);
  if (found == members_.end()) {
    malformed(name, fmt::format("the tensor's ZIP member {} is missing", member));
  }
  const CheckedRecord& record = found->second.record;
  if (elements.integer < 0 || static_cast<std::uint64_t>(elements.integer) !=
                                  record.extent.size / size_of(dtype_of(storage))) {
    malformed(name, fmt::format("ZIP member {} holds {} bytes, not {} elements of type {}", member,
                                record.extent.size, elements.integer, name_of(dtype_of(storage))));
  }
  return record;
}

// Sets the tensor's extent in the file. Clears its strides if its elements are contiguous.
void TorchFile::place_bytes(StoredTensor& tensor, std::uint64_t offset) const {
  const auto count = element_count(tensor.shape);
  if (!count || tensor.shape.size() != tensor.strides.size()) {
    malformed(tensor.name, fmt::format("shape {} with strides {} is impossible",
                                       shape_text(tensor.shape), shape_text(tensor.strides)));
  }
  std::uint64_t extent = *count == 0 ? 0 : 1;  // in elements
  std::uint64_t dense = 1;
  bool contiguous = true;
  for (std::size_t i = tensor.shape.size(); i-- > 0 && *count != 0;) {
    const auto span = checked_mul(tensor.shape[i] - 1, tensor.strides[i]);
    const auto reach = span ? checked_add(extent, *span) : std::nullopt;
    if (!reach) malformed(tensor.name, "the tensor's strides need more than 64 bits");
    extent = *reach;
    contiguous = contiguous && (tensor.shape[i] == 1 || tensor.strides[i] == dense);
    dense *= tensor.shape[i];
  }
  const std::size_t size = size_of(tensor.dtype);
  if (!range_within(offset, extent, tensor.record->extent.size / size)) {
    malformed(tensor.name,
              fmt::format("the tensor needs {} elements from element {} on, but its storage has {}",
                          extent, offset, tensor.record->extent.size / size));
  }
  tensor.extent = {tensor.record->extent.offset + offset * size, extent * size};
  if (contiguous) tensor.strides.clear();
}

}  // namespace virnucpro

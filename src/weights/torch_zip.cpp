#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "weights/pickle_reader.hpp"
#include "weights/tensor_archive.hpp"
#include "weights/zip_file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMaxTensors = 1U << 16U;
constexpr std::size_t kMaxModuleDepth = 32;
constexpr std::size_t kMaxDimensions = 8;
// What a pickle holds once can be named again and again, so that what is made of it has no bound in
// the file's length. Bounded are: a name or a setting, all names and settings together (bytes), and
// the keys and values looked at, of which a file that names nothing twice cannot have more.
constexpr std::size_t kMaxText = 1024;
constexpr std::size_t kMaxTextTogether = 4U << 20U;
constexpr std::size_t kMaxLookedAt = kMaxPickleNodes;

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

// Turns the data of data.pkl into tensors over the ZIP's members.
class TorchReader {
 public:
  TorchReader(std::span<const std::byte> bytes, const std::string& file) : file_(file) {
    for (ZipEntry& entry : read_zip(bytes, file)) {
      const std::string name = entry.name;
      if (!members_.emplace(name, std::move(entry)).second) {
        malformed(fmt::format("ZIP member {} stands twice", name));
      }
    }
  }

  TensorArchive read() {
    const ZipEntry& pickle = find_pickle();
    check_byte_order();
    check_crc(pickle, file_);
    document_ = read_pickle(pickle.record.bytes, fmt::format("{}/{}", file_, pickle.name));
    archive_.kind = ArchiveKind::kTorchZip;
    const PickleNode& root = document_[document_.root];
    if (root.type == PickleType::kObject) {
      archive_.root_class = root.text;
      read_module(root, "", 0);
    } else if (root.type == PickleType::kDict) {
      read_dict(root);
    } else {
      malformed("holds neither a dict of tensors nor a module");
    }
    return std::move(archive_);
  }

 private:
  [[noreturn]] void malformed(std::string detail) const {
    throw Error(ErrorKind::kWeightsFormat, Place{.file = file_}, std::move(detail));
  }
  [[noreturn]] void malformed(const std::string& tensor, std::string detail) const {
    throw Error(ErrorKind::kWeightsFormat, Place{.file = file_, .tensor = tensor},
                std::move(detail));
  }

  // All members lie in one folder, whose name torch takes from the file's when it is written.
  const ZipEntry& find_pickle() {
    constexpr std::string_view kName = "/data.pkl";
    for (const auto& [name, entry] : members_) {
      if (name.ends_with(kName) && name.find('/') == name.size() - kName.size()) {
        folder_ = name.substr(0, name.size() - kName.size() + 1);
        return entry;
      }
    }
    malformed("a ZIP without data.pkl: not written by torch.save");
  }

  void check_byte_order() const {
    const auto found = members_.find(folder_ + "byteorder");
    if (found == members_.end()) return;  // before torch 2.0: always little
    check_crc(found->second, file_);
    const auto bytes = found->second.record.bytes;
    if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) != "little") {
      malformed("its numbers are not little-endian");
    }
  }

  // --- what is in the pickle ------------------------------------------------------------------
  void read_dict(const PickleNode& root) {
    const PickleNode* model = document_.member(root, "model");
    const bool fair_esm = model != nullptr && model->type == PickleType::kDict;
    read_tensors(fair_esm ? *model : root, "");
    if (!fair_esm) return;
    for (const char* key : {"args", "cfg"}) {
      const PickleNode* settings = fields_of(document_.member(root, key));
      const PickleNode* inner = settings ? document_.member(*settings, "model") : nullptr;
      read_settings(fields_of(inner != nullptr ? inner : settings), "");
    }
  }

  void count_text(std::size_t size) {
    text_ += size;
    if (text_ > kMaxTextTogether) malformed("its names and settings are too long together");
  }

  void count_looked_at(std::size_t values) {
    looked_at_ += values;
    if (looked_at_ > kMaxLookedAt) malformed("its modules hold too many values");
  }

  std::string joined(const std::string& prefix, std::string_view name) {
    const std::size_t size = prefix.size() + name.size();
    if (size > kMaxText) malformed("a name in it is too long");
    count_text(size);
    return prefix + std::string(name);
  }

  // The dict of a dict or of an object that keeps its fields as its state; null for neither.
  const PickleNode* fields_of(const PickleNode* node) const {
    if (node != nullptr && node->type == PickleType::kObject && node->items.size() == 1) {
      node = &document_[node->items[0]];
    }
    return node != nullptr && node->type == PickleType::kDict ? node : nullptr;
  }

  void read_settings(const PickleNode* fields, const std::string& prefix) {
    if (fields == nullptr) return;
    count_looked_at(fields->items.size());
    for (std::size_t i = 0; i + 1 < fields->items.size(); i += 2) {
      const PickleNode& name = document_[fields->items[i]];
      const PickleNode& value = document_[fields->items[i + 1]];
      if (name.type == PickleType::kString) add_setting(joined(prefix, name.text), value);
    }
  }

  void add_setting(const std::string& name, const PickleNode& value) {
    if (archive_.settings.size() >= kMaxTensors) malformed("it has too many settings");
    if (value.type == PickleType::kBool) archive_.settings[name] = value.integer != 0;
    if (value.type == PickleType::kInt) archive_.settings[name] = value.integer;
    if (value.type == PickleType::kFloat) archive_.settings[name] = value.real;
    if (value.type == PickleType::kString && value.text.size() <= kMaxText) {
      count_text(value.text.size());
      archive_.settings[name] = std::string(value.text);
    }
  }

  // A torch.nn.Module: its parameters and buffers under their names, then the modules inside it.
  void read_module(const PickleNode& module, const std::string& prefix, std::size_t depth) {
    const PickleNode* fields = fields_of(&module);
    if (depth > kMaxModuleDepth) malformed("its modules nest too deep");
    count_looked_at(1);
    if (fields == nullptr) malformed("a module has no state");
    read_settings(fields, prefix);
    for (const char* key : {"_parameters", "_buffers"}) {
      const PickleNode* tensors = document_.member(*fields, key);
      if (tensors != nullptr) read_tensors(*tensors, prefix);
    }
    const PickleNode* inner = document_.member(*fields, "_modules");
    if (inner == nullptr || inner->type != PickleType::kDict) return;
    count_looked_at(inner->items.size());
    for (std::size_t i = 0; i + 1 < inner->items.size(); i += 2) {
      const PickleNode& value = document_[inner->items[i + 1]];
      if (value.type != PickleType::kObject) continue;
      read_module(value, joined(prefix, document_[inner->items[i]].text) + ".", depth + 1);
    }
  }

  void read_tensors(const PickleNode& dict, const std::string& prefix) {
    count_looked_at(dict.items.size());
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      const PickleNode& name = document_[dict.items[i]];
      const PickleNode& value = document_[dict.items[i + 1]];
      if (name.type != PickleType::kString || value.type != PickleType::kTensor) continue;
      if (archive_.tensors.size() >= kMaxTensors) malformed("it has too many tensors");
      StoredTensor tensor = place_tensor(joined(prefix, name.text), value);
      if (!names_.insert(tensor.name).second) malformed(tensor.name, "stands twice");
      archive_.tensors.push_back(std::move(tensor));
    }
  }

  // --- a tensor and the bytes it views --------------------------------------------------------
  StoredTensor place_tensor(const std::string& name, const PickleNode& node) {
    const PickleNode& storage = document_[node.items[0]];
    const PickleNode& offset = document_[node.items[1]];
    if (storage.type != PickleType::kStorage || offset.type != PickleType::kInt ||
        offset.integer < 0) {
      malformed(name, "its description is not one of torch");
    }
    StoredTensor tensor{.name = name,
                        .dtype = dtype_of(storage),
                        .shape = numbers(name, document_[node.items[2]]),
                        .strides = numbers(name, document_[node.items[3]]),
                        .bytes = {},
                        .record = record_of(name, storage)};
    place_bytes(tensor, static_cast<std::uint64_t>(offset.integer));
    return tensor;
  }

  DType dtype_of(const PickleNode& storage) const {
    const std::string_view type = document_[storage.items[1]].text;
    for (const StorageRow& row : kStorageTypes) {
      if (row.global == type) return row.dtype;
    }
    malformed(fmt::format("storages of type {}", type));
  }

  Shape numbers(const std::string& name, const PickleNode& tuple) const {
    if (tuple.type != PickleType::kTuple || tuple.items.size() > kMaxDimensions) {
      malformed(name, "its shape or strides are not a short tuple");
    }
    Shape values;
    for (const PickleId id : tuple.items) {
      const PickleNode& value = document_[id];
      if (value.type != PickleType::kInt || value.integer < 0) {
        malformed(name, "its shape or strides are not whole numbers");
      }
      values.push_back(static_cast<std::uint64_t>(value.integer));
    }
    return values;
  }

  CheckedRecord record_of(const std::string& name, const PickleNode& storage) {
    const PickleNode& elements = document_[storage.items[4]];
    const std::string member = joined(folder_ + "data/", document_[storage.items[2]].text);
    const auto found = members_.find(member);
    if (found == members_.end()) {
      malformed(name, fmt::format("its ZIP member {} is missing", member));
    }
    const CheckedRecord& record = found->second.record;
    if (elements.integer < 0 || static_cast<std::uint64_t>(elements.integer) !=
                                    record.bytes.size() / size_of(dtype_of(storage))) {
      malformed(name, fmt::format("ZIP member {} holds {} bytes, not {} elements", member,
                                  record.bytes.size(), elements.integer));
    }
    return record;
  }

  // Narrows the record to the elements from the tensor's first to its last; drops the strides of a
  // tensor that has its elements one after the other.
  void place_bytes(StoredTensor& tensor, std::uint64_t offset) const {
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
      if (!reach) malformed(tensor.name, "its strides reach too far");
      extent = *reach;
      contiguous = contiguous && (tensor.shape[i] == 1 || tensor.strides[i] == dense);
      dense *= tensor.shape[i];
    }
    const std::size_t size = size_of(tensor.dtype);
    if (!range_within(offset, extent, tensor.record->bytes.size() / size)) {
      malformed(tensor.name, fmt::format("elements {} to {} of a storage of {} bytes", offset,
                                         offset + extent, tensor.record->bytes.size()));
    }
    tensor.bytes = tensor.record->bytes.subspan(offset * size, extent * size);
    if (contiguous) tensor.strides.clear();
  }

  const std::string& file_;
  std::map<std::string, ZipEntry, std::less<>> members_;
  std::string folder_;
  PickleDocument document_;
  TensorArchive archive_;
  std::set<std::string> names_;
  std::size_t text_ = 0;
  std::size_t looked_at_ = 0;
};

}  // namespace

TensorArchive parse_torch_zip(std::span<const std::byte> bytes, const std::string& file) {
  return TorchReader(bytes, file).read();
}

}  // namespace virnucpro

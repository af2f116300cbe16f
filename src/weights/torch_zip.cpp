#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "weights/tensor_archive.hpp"
#include "weights/torch_file.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMaxTensors = 1U << 16U;
constexpr std::size_t kMaxModuleDepth = 32;
// A pickle can use one value many times, so the file's length does not limit what is made from it.
// These constants limit the bytes of one name or setting, the bytes of all names and settings, and
// the number of keys and values visited. A file that uses each value once stays within the last
// limit.
constexpr std::size_t kMaxText = 1024;
constexpr std::size_t kMaxTextTogether = 4U << 20U;
constexpr std::size_t kMaxLookedAt = kMaxPickleNodes;

// Makes tensors from the values of data.pkl. The tensors' bytes stay in the ZIP's members.
class TorchReader {
 public:
  explicit TorchReader(const SteadyFile& file) : torch_(file), document_(torch_.document()) {}

  TensorArchive read() {
    archive_.kind = ArchiveKind::kTorchZip;
    const PickleNode& root = document_[document_.root];
    if (root.type == PickleType::kObject) {
      archive_.root_class = root.text;
      read_module(root, "", 0);
    } else if (root.type == PickleType::kDict) {
      read_dict(root);
    } else {
      malformed("the pickle holds neither a dict of tensors nor a module");
    }
    return std::move(archive_);
  }

 private:
  [[noreturn]] void malformed(std::string detail) const {
    throw Error(ErrorKind::kWeightsFormat, Place{.file = torch_.path()}, std::move(detail));
  }
  [[noreturn]] void malformed(const std::string& tensor, std::string detail) const {
    throw Error(ErrorKind::kWeightsFormat, Place{.file = torch_.path(), .tensor = tensor},
                std::move(detail));
  }

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
    if (text_ > kMaxTextTogether) {
      malformed(fmt::format("all names and settings are too long together; the limit is {} bytes",
                            kMaxTextTogether));
    }
  }

  void count_looked_at(std::size_t values) {
    looked_at_ += values;
    if (looked_at_ > kMaxLookedAt) {
      malformed(fmt::format("the pickle's modules and dicts hold too many values; the limit is {}",
                            kMaxLookedAt));
    }
  }

  std::string joined(const std::string& prefix, std::string_view name) {
    const std::size_t size = prefix.size() + name.size();
    if (size > kMaxText) {
      malformed(fmt::format("a name in the pickle is too long; the limit is {} bytes", kMaxText));
    }
    count_text(size);
    return prefix + std::string(name);
  }

  // Returns a dict itself, or the dict that is an object's state; null for anything else.
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
    if (archive_.settings.size() >= kMaxTensors) {
      malformed(fmt::format("the file has too many settings; the limit is {}", kMaxTensors));
    }
    if (value.type == PickleType::kBool) archive_.settings[name] = value.integer != 0;
    if (value.type == PickleType::kInt) archive_.settings[name] = value.integer;
    if (value.type == PickleType::kFloat) archive_.settings[name] = value.real;
    if (value.type == PickleType::kString && value.text.size() <= kMaxText) {
      count_text(value.text.size());
      archive_.settings[name] = std::string(value.text);
    }
  }

  // Reads a torch.nn.Module: its parameters and buffers by name, then the modules inside it.
  void read_module(const PickleNode& module, const std::string& prefix, std::size_t depth) {
    const PickleNode* fields = fields_of(&module);
    if (depth > kMaxModuleDepth) {
      malformed(fmt::format("the modules are nested too deeply; the limit is {} levels",
                            kMaxModuleDepth));
    }
    count_looked_at(1);
    if (fields == nullptr) malformed("a module in the pickle has no state");
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
      if (archive_.tensors.size() >= kMaxTensors) {
        malformed(fmt::format("the file has too many tensors; the limit is {}", kMaxTensors));
      }
      StoredTensor tensor = torch_.tensor(joined(prefix, name.text), value);
      if (!names_.insert(tensor.name).second) malformed(tensor.name, "the tensor occurs twice");
      archive_.tensors.push_back(std::move(tensor));
    }
  }

  const TorchFile torch_;
  const PickleDocument& document_;
  TensorArchive archive_;
  std::set<std::string> names_;
  std::size_t text_ = 0;
  std::size_t looked_at_ = 0;
};

}  // namespace

TensorArchive parse_torch_zip(const SteadyFile& file) {
  return TorchReader(file).read();
}

}  // namespace virnucpro

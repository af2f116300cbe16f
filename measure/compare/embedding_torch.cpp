#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/steady_file.hpp"
#include "measure/compare/embedding_reader.hpp"
#include "weights/stored_tensor.hpp"
#include "weights/torch_file.hpp"

namespace virnucpro {
namespace {

// These limits allow 10,000 lists of 768 numbers, and the other values of such a file.
constexpr PickleLimits kLimits{.bytes = 128U << 20U, .values = 1U << 23U};
constexpr std::size_t kLongestTorchId = 64U << 10U;
constexpr std::size_t kMostMembers = 32;  // most members of one row's dict

// The name of the list of ids in a file's dict, and the dataset of a file with such a list.
struct IdsRow {
  std::string_view member;
  std::string_view dataset;
};
constexpr std::array kIdsRows{
    IdsRow{"nucleotide", "dnabert_s"},
    IdsRow{"proteins", "esm2"},
    IdsRow{"ids", "merged"},
};

class TorchEmbeddings : public EmbeddingReader {
 public:
  explicit TorchEmbeddings(const std::filesystem::path& path)
      : file_(path), torch_(file_, kLimits), document_(torch_.document()) {
    torch_.check_members();
    find_members();
    if (data_->type == PickleType::kTensor) {
      open_tensor();
    } else {
      check_rows();
    }
    check_ids();
  }

  const std::vector<EmbeddingDataset>& datasets() const override { return datasets_; }
  std::uint64_t rows() const override { return ids_->items.size(); }

  std::string id(std::uint64_t row) override { return std::string(id_text(row)); }

  void read(std::size_t /*dataset*/, std::uint64_t row, std::span<double> out) override {
    if (whole_) {
      const std::size_t size = out.size() * size_of(whole_->dtype);
      copy(whole_->dtype, {whole_->extent.offset + row * size, size}, out);
      return;
    }
    const PickleNode& values = values_of(row);
    if (values.type == PickleType::kTensor) {
      const StoredTensor tensor = tensor_of(row, values);
      copy(tensor.dtype, tensor.extent, out);
      return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = number_of(row, values.items[i]);
  }

 private:
  [[noreturn]] void malformed(const std::string& detail) const {
    throw Error(ErrorKind::kInputMalformed, Place{.file = torch_.path()}, detail);
  }
  [[noreturn]] void malformed(std::uint64_t row, const std::string& detail) const {
    throw Error(ErrorKind::kInputMalformed, Place{.file = torch_.path(), .record = row + 1},
                detail);
  }

  void find_members() {
    const PickleNode& root = document_[document_.root];
    data_ = document_.member(root, "data");
    for (const IdsRow& row : kIdsRows) {
      ids_ = document_.member(root, row.member);
      if (ids_ == nullptr) continue;
      datasets_.push_back({.name = std::string(row.dataset)});
      break;
    }
    if (data_ == nullptr || ids_ == nullptr || ids_->type != PickleType::kList) {
      malformed(
          "expected the key data, and a list with the key nucleotide, proteins or ids, as the "
          "original's embeddings have");
    }
  }

  std::size_t& width() { return datasets_.front().width; }

  void open_tensor() {
    StoredTensor tensor = torch_.tensor("data", *data_);
    if (tensor.shape.size() != 2 || tensor.shape[0] != rows()) {
      malformed(fmt::format("data has the shape {}, but the file has {} ids",
                            shape_text(tensor.shape), rows()));
    }
    check_numbers("data", tensor);
    width() = tensor.shape[1];
    whole_ = std::move(tensor);
  }

  void check_numbers(const std::string& name, const StoredTensor& tensor) const {
    if (!tensor.strides.empty() || !is_weight_type(tensor.dtype)) {
      malformed(
          fmt::format("{} has the shape {} and the type {}; expected a contiguous tensor of floats",
                      name, shape_text(tensor.shape), name_of(tensor.dtype)));
    }
  }

  // Refuses a file whose rows have more numbers than the file has bytes. Its list may name one
  // tensor many times, and the tensor would be read each time.
  void check_rows() {
    if (data_->type != PickleType::kList || data_->items.size() != rows()) {
      malformed(fmt::format("data is neither a tensor nor a list of {} rows", rows()));
    }
    std::uint64_t values = 0;
    for (std::uint64_t row = 0; row < rows(); ++row) {
      const std::size_t size = check_row(row);
      if (row == 0) width() = size;
      if (size != width()) {
        malformed(row, fmt::format("the row has {} numbers; earlier rows have {}", size, width()));
      }
      values += size;
      if (values > file_.size()) {
        malformed(row,
                  fmt::format("the rows up to this one have {} numbers, but the file has {} bytes",
                              values, file_.size()));
      }
    }
  }

  std::size_t check_row(std::uint64_t row) const {
    const PickleNode& values = values_of(row);
    if (values.type == PickleType::kTensor) return tensor_of(row, values).shape[0];
    if (values.type != PickleType::kList)
      malformed(row, "the row's embedding is not a list of numbers");
    return values.items.size();
  }

  const PickleNode& values_of(std::uint64_t row) const {
    const PickleNode& node = document_[data_->items[row]];
    if (node.type != PickleType::kDict) return node;
    const PickleNode* values = member(row, node, "mean_representation");
    if (values == nullptr) malformed(row, "the row has no mean_representation");
    return *values;
  }

  // Refuses a large dict. Many rows may name the same dict, and each row would search it.
  const PickleNode* member(std::uint64_t row, const PickleNode& node, std::string_view name) const {
    if (node.items.size() > kMostMembers)
      malformed(row, fmt::format("the row's dict has {} members; the limit is {}",
                                 node.items.size(), kMostMembers));
    return document_.member(node, name);
  }

  StoredTensor tensor_of(std::uint64_t row, const PickleNode& node) const {
    const std::string name = fmt::format("data[{}]", row);
    StoredTensor tensor = torch_.tensor(name, node);
    if (tensor.shape.size() != 1) malformed(row, "the row's tensor does not have one dimension");
    check_numbers(name, tensor);
    return tensor;
  }

  double number_of(std::uint64_t row, PickleId id) const {
    const PickleNode& node = document_[id];
    if (node.type == PickleType::kFloat) return node.real;
    if (node.type == PickleType::kInt) return static_cast<double>(node.integer);
    malformed(row, "the row's embedding holds something that is not a number");
  }

  void copy(DType type, const Extent& extent, std::span<double> out) const {
    std::vector<std::byte> bytes(extent.size);
    file_.read(extent.offset, bytes);
    file_.check_unchanged();  // checksums were compared only at opening
    std::vector<float> values(out.size());
    convert_to_f32(type, bytes, values);
    std::copy(values.begin(), values.end(), out.begin());
  }

  // Returns a row's id: the row's own label if it has one, else its item in the list of ids.
  std::string_view id_text(std::uint64_t row) const {
    const PickleNode* id = &document_[ids_->items[row]];
    if (!whole_ && document_[data_->items[row]].type == PickleType::kDict) {
      const PickleNode* label = member(row, document_[data_->items[row]], "label");
      if (label != nullptr) id = label;
    }
    if (id->type != PickleType::kString || id->text.size() > kLongestTorchId) {
      malformed(
          row, fmt::format("the row's id is no text, or is longer than {} bytes", kLongestTorchId));
    }
    return id->text;
  }

  void check_ids() const {
    std::uint64_t together = 0;
    for (std::uint64_t row = 0; row < rows(); ++row) {
      together += id_text(row).size();
      if (together > file_.size()) {
        malformed(row, fmt::format("the ids up to this one have {} bytes, but the file has {}",
                                   together, file_.size()));
      }
    }
  }

  const SteadyFile file_;
  const TorchFile torch_;
  const PickleDocument& document_;
  const PickleNode* data_ = nullptr;
  const PickleNode* ids_ = nullptr;
  std::vector<EmbeddingDataset> datasets_;
  std::optional<StoredTensor> whole_;  // one tensor with all rows
};

}  // namespace

bool is_torch_zip(std::string_view beginning) {
  return beginning.starts_with("PK\x03\x04");
}

std::unique_ptr<EmbeddingReader> open_torch_embeddings(const std::filesystem::path& path) {
  return std::make_unique<TorchEmbeddings>(path);
}

}  // namespace virnucpro

#include "measure/compare/embedding_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "measure/compare/hdf5_held_file.hpp"
#include "run/hdf5_handle.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostIdBytes = 64U << 10U;
constexpr std::size_t kMostWidth = 1U << 20U;
constexpr std::uint64_t kMostChunkBytes = 64U << 20U;  // HDF5 keeps whole chunks in memory
// The driver ignores this name. For a relative name, HDF5 would look up the current folder.
constexpr const char* kAnyName = "/held";
constexpr std::array<const char*, 3> kDatasets{"dnabert_s", "esm2", "merged"};
// v2's files hold only ESM-2's embeddings.
constexpr const char* kV2Ids = "sequence_ids";
constexpr const char* kV2Esm2 = "embeddings";

struct OpenDataset {
  Hdf5Handle dataset{};
  Hdf5Handle type{};
  std::vector<hsize_t> shape{};
};

class OwnHdf5Rows : public Hdf5Rows {
 public:
  OwnHdf5Rows(std::string path, int file, std::uint64_t bytes) : path_(std::move(path)) {
    open_file(file, bytes);
    const bool is_v2 = has(kV2Ids) && (has(kV2Esm2) || !has("ids"));
    ids_ = open(is_v2 ? kV2Ids : "ids", 1);
    const H5T_class_t type = H5Tget_class(ids_.type.get());
    if (type != H5T_STRING)
      malformed(fmt::format("dataset {} is not text", is_v2 ? kV2Ids : "ids"));
    // A file may claim rows that were never written, so their number is limited by the file's size.
    if (rows() > bytes)
      malformed(fmt::format("it claims {} rows, but has only {} bytes", rows(), bytes));
    for (const char* name : kDatasets) {
      const char* const stored = is_v2 && name == std::string_view("esm2") ? kV2Esm2 : name;
      if (has(stored)) add_dataset(stored, name);
    }
    if (datasets_.empty()) malformed("it has none of the datasets dnabert_s, esm2 and merged");
  }

  const std::vector<EmbeddingDataset>& datasets() const override { return datasets_; }
  std::uint64_t rows() const override { return ids_.shape[0]; }

  std::vector<std::string> ids(std::uint64_t first, std::uint64_t count) override {
    return H5Tis_variable_str(ids_.type.get()) > 0 ? read_variable(first, count)
                                                   : read_fixed(first, count);
  }

  void read(std::size_t dataset, std::uint64_t first, std::uint64_t count,
            std::span<double> out) override {
    if (!out.empty()) read_rows(opened_[dataset], first, count, H5T_NATIVE_DOUBLE, out.data());
  }

 private:
  [[noreturn]] void malformed(const std::string& detail) const {
    throw Error(ErrorKind::kInputMalformed, Place{.file = path_}, detail);
  }
  Hdf5Handle handle(hid_t id, Hdf5Handle::Close closer) const {
    return {id, closer, path_, ErrorKind::kInputMalformed};
  }
  void check(herr_t result) const {
    if (result < 0) malformed(hdf5_reason());
  }

  bool has(const char* name) const { return H5Lexists(file_.get(), name, H5P_DEFAULT) > 0; }

  void open_file(int file, std::uint64_t bytes) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures are thrown, not printed
    H5PLset_loading_state(0);                     // a file must not load code
    const Hdf5Handle access = handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Hdf5Handle driver = handle(read_held_file(access.get(), file, bytes), H5FDunregister);
    file_ = Hdf5Handle(H5Fopen(kAnyName, H5F_ACC_RDONLY, access.get()), H5Fclose, path_,
                       ErrorKind::kInputMalformed);
  }

  OpenDataset open(const char* name, int rank) const {
    H5L_info_t link{};
    if (!has(name) || H5Lget_info(file_.get(), name, &link, H5P_DEFAULT) < 0 ||
        link.type != H5L_TYPE_HARD) {
      malformed(fmt::format("it has no dataset {}, or only a link to it", name));
    }
    OpenDataset found;
    found.dataset = handle(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose);
    found.type = handle(H5Dget_type(found.dataset.get()), H5Tclose);
    const Hdf5Handle space = handle(H5Dget_space(found.dataset.get()), H5Sclose);
    const int dimensions = H5Sget_simple_extent_ndims(space.get());
    if (dimensions != rank) {
      malformed(fmt::format("dataset {} has {} dimensions; expected {}", name, dimensions, rank));
    }
    found.shape.resize(static_cast<std::size_t>(rank));
    check(H5Sget_simple_extent_dims(space.get(), found.shape.data(), nullptr));
    check_storage(name, found, rank);
    return found;
  }

  void check_storage(const char* name, const OpenDataset& found, int rank) const {
    const Hdf5Handle properties = handle(H5Dget_create_plist(found.dataset.get()), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(properties.get());
    const bool is_own = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED;
    if (!is_own || H5Pget_external_count(properties.get()) != 0) {
      malformed(fmt::format("dataset {} is stored in other files: copy it into this file", name));
    }
    if (layout != H5D_CHUNKED) return;
    std::array<hsize_t, 2> chunk{1, 1};
    if (H5Pget_chunk(properties.get(), rank, chunk.data()) != rank) {
      malformed(fmt::format("dataset {} has an unknown storage layout", name));
    }
    const auto values = checked_mul<std::uint64_t>(chunk[0], chunk[1]);
    const auto bytes =
        values ? checked_mul<std::uint64_t>(*values, H5Tget_size(found.type.get())) : values;
    if (!bytes || *bytes > kMostChunkBytes) {
      malformed(fmt::format("the HDF5 chunks of dataset {} are larger than {} bytes", name,
                            kMostChunkBytes));
    }
  }

  void add_dataset(const char* name, const char* shown) {
    OpenDataset found = open(name, 2);
    if (H5Tget_class(found.type.get()) != H5T_FLOAT ||
        H5Tget_size(found.type.get()) > sizeof(double)) {
      malformed(fmt::format("dataset {} does not hold floats of at most 64 bits", name));
    }
    if (found.shape[0] != rows() || found.shape[1] > kMostWidth) {
      malformed(
          fmt::format("dataset {} has the shape [{}, {}]; expected a row for each of {} ids and at "
                      "most {} columns",
                      name, found.shape[0], found.shape[1], rows(), kMostWidth));
    }
    datasets_.push_back({.name = shown, .width = static_cast<std::size_t>(found.shape[1])});
    opened_.push_back(std::move(found));
  }

  // Reads rows [first, first + count) into `out`, converted to `type`.
  void read_rows(const OpenDataset& from, std::uint64_t first, std::uint64_t count, hid_t type,
                 void* out) const {
    const Hdf5Handle space = handle(H5Dget_space(from.dataset.get()), H5Sclose);
    std::vector<hsize_t> start(from.shape.size(), 0);
    std::vector<hsize_t> size = from.shape;
    start[0] = first;
    size[0] = count;
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                              nullptr));
    const Hdf5Handle memory =
        handle(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    check(H5Dread(from.dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, out));
  }

  std::vector<std::string> read_variable(std::uint64_t first, std::uint64_t count) const {
    std::vector<char*> texts(count, nullptr);
    read_rows(ids_, first, count, ids_.type.get(), texts.data());
    std::vector<std::string> ids;
    for (const char* text : texts) ids.emplace_back(text == nullptr ? "" : text);
    const hsize_t size = count;
    const Hdf5Handle memory = handle(H5Screate_simple(1, &size, nullptr), H5Sclose);
    check(H5Dvlen_reclaim(ids_.type.get(), memory.get(), H5P_DEFAULT, texts.data()));
    for (const std::string& id : ids) check_id(id.size());
    return ids;
  }

  std::vector<std::string> read_fixed(std::uint64_t first, std::uint64_t count) const {
    const std::size_t size = H5Tget_size(ids_.type.get());
    check_id(size);
    std::string bytes(size * count, '\0');
    read_rows(ids_, first, count, ids_.type.get(), bytes.data());
    std::vector<std::string> ids;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::string_view text = std::string_view(bytes).substr(k * size, size);
      ids.emplace_back(text.substr(0, text.find('\0')));
    }
    return ids;
  }

  void check_id(std::size_t size) const {
    if (size > kMostIdBytes) malformed(fmt::format("an id is longer than {} bytes", kMostIdBytes));
  }

  const std::string path_;
  Hdf5Handle file_;
  OpenDataset ids_;
  std::vector<EmbeddingDataset> datasets_;
  std::vector<OpenDataset> opened_;
};

}  // namespace

std::unique_ptr<Hdf5Rows> open_hdf5_rows(std::string path, int file, std::uint64_t bytes) {
  return std::make_unique<OwnHdf5Rows>(std::move(path), file, bytes);
}

}  // namespace virnucpro

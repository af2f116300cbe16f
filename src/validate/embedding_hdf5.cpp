#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "run/hdf5_handle.hpp"
#include "validate/embedding_reader.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kStretchBytes = 1U << 20U;  // of numbers that are read at once
constexpr std::uint64_t kIdsAtOnce = 1024;
constexpr std::size_t kMostWidth = 1U << 20U;
constexpr std::uint64_t kMostChunkBytes = 64U << 20U;  // HDF5 holds a chunk whole
constexpr std::array<const char*, 3> kDatasets{"dnabert_s", "esm2", "merged"};

// Where a dataset lies, and how it is typed: nothing else is read.
struct OpenDataset {
  Hdf5Handle dataset{};
  Hdf5Handle type{};
  std::vector<hsize_t> shape{};
};

class Hdf5Embeddings : public EmbeddingReader {
 public:
  explicit Hdf5Embeddings(const std::filesystem::path& path) : path_(path.string()) {
    open_file();
    ids_ = open("ids", 1);
    const H5T_class_t type = H5Tget_class(ids_.type.get());
    if (type != H5T_STRING) malformed("ids are no texts");
    // The file says how many rows there are, and a dataset may hold rows nobody wrote.
    std::error_code unknown;
    if (rows() > std::filesystem::file_size(path, unknown)) malformed("it has too many rows");
    for (const char* name : kDatasets) {
      if (H5Lexists(file_.get(), name, H5P_DEFAULT) > 0) add_dataset(name);
    }
    if (datasets_.empty()) malformed("it has none of dnabert_s, esm2 and merged");
  }

  const std::vector<EmbeddingDataset>& datasets() const override { return datasets_; }
  std::uint64_t rows() const override { return ids_.shape[0]; }

  std::string id(std::uint64_t row) override {
    if (row < first_id_ || row >= first_id_ + texts_.size()) read_ids(row);
    return texts_[row - first_id_];
  }

  // Rows one after the other are read in stretches, any other one alone.
  void read(std::size_t dataset, std::uint64_t row, std::span<double> out) override {
    Stretch& stretch = stretches_[dataset];
    if (row < stretch.begin || row >= stretch.end) fill(dataset, stretch, row);
    const double* const values = stretch.values.data() + (row - stretch.begin) * out.size();
    std::copy_n(values, out.size(), out.begin());
  }

 private:
  struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::vector<double> values{};
  };

  [[noreturn]] void malformed(const std::string& detail) const {
    throw Error(ErrorKind::kInputMalformed, Place{.file = path_}, detail);
  }
  Hdf5Handle handle(hid_t id, Hdf5Handle::Close closer) const {
    return {id, closer, path_, ErrorKind::kInputMalformed};
  }
  void check(herr_t result) const {
    if (result < 0) malformed(hdf5_reason());
  }

  void open_file() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures are thrown, not printed
    H5PLset_loading_state(0);                     // a file may not have code loaded
    const Hdf5Handle access = handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access.get(), 0, 1);  // it is only read, and some file systems have none
    file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, path_,
                       ErrorKind::kInputMalformed);
  }

  OpenDataset open(const char* name, int rank) const {
    H5L_info_t link{};
    if (H5Lexists(file_.get(), name, H5P_DEFAULT) <= 0 ||
        H5Lget_info(file_.get(), name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
      malformed(fmt::format("it has no dataset {} of its own", name));
    }
    OpenDataset found;
    found.dataset = handle(H5Dopen2(file_.get(), name, H5P_DEFAULT), H5Dclose);
    found.type = handle(H5Dget_type(found.dataset.get()), H5Tclose);
    const Hdf5Handle space = handle(H5Dget_space(found.dataset.get()), H5Sclose);
    if (H5Sget_simple_extent_ndims(space.get()) != rank) {
      malformed(fmt::format("{} has not {} dimensions", name, rank));
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
      malformed(fmt::format("{} lies in other files", name));
    }
    if (layout != H5D_CHUNKED) return;
    std::array<hsize_t, 2> chunk{1, 1};
    if (H5Pget_chunk(properties.get(), rank, chunk.data()) != rank) {
      malformed(fmt::format("{} is stored in no known way", name));
    }
    const auto values = checked_mul<std::uint64_t>(chunk[0], chunk[1]);
    const auto bytes =
        values ? checked_mul<std::uint64_t>(*values, H5Tget_size(found.type.get())) : values;
    if (!bytes || *bytes > kMostChunkBytes) {
      malformed(fmt::format("the chunks of {} are larger than {} bytes", name, kMostChunkBytes));
    }
  }

  void add_dataset(const char* name) {
    OpenDataset found = open(name, 2);
    if (H5Tget_class(found.type.get()) != H5T_FLOAT ||
        H5Tget_size(found.type.get()) > sizeof(double)) {
      malformed(fmt::format("{} holds no floats of at most 64 bits", name));
    }
    if (found.shape[0] != rows() || found.shape[1] > kMostWidth) {
      malformed(
          fmt::format("{} is [{}, {}], with {} ids", name, found.shape[0], found.shape[1], rows()));
    }
    datasets_.push_back({.name = name, .width = static_cast<std::size_t>(found.shape[1])});
    opened_.push_back(std::move(found));
    stretches_.emplace_back();
  }

  // Reads rows [first, first + count) in the memory's own type.
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

  void fill(std::size_t dataset, Stretch& stretch, std::uint64_t row) const {
    const std::size_t width = datasets_[dataset].width;
    const std::uint64_t most = std::max<std::uint64_t>(
        1, kStretchBytes / (sizeof(double) * std::max<std::size_t>(1, width)));
    const std::uint64_t count = row == stretch.end ? std::min(most, rows() - row) : 1;
    stretch.values.resize(count * width);
    if (width != 0) {
      read_rows(opened_[dataset], row, count, H5T_NATIVE_DOUBLE, stretch.values.data());
    }
    stretch.begin = row;
    stretch.end = row + count;
  }

  void read_ids(std::uint64_t row) {
    const std::uint64_t count = std::min(kIdsAtOnce, rows() - row);
    texts_.clear();
    if (H5Tis_variable_str(ids_.type.get()) > 0) {
      read_variable(row, count);
    } else {
      read_fixed(row, count);
    }
    first_id_ = row;
  }

  void read_variable(std::uint64_t row, std::uint64_t count) {
    std::vector<char*> texts(count, nullptr);
    read_rows(ids_, row, count, ids_.type.get(), texts.data());
    for (const char* text : texts) texts_.emplace_back(text == nullptr ? "" : text);
    const hsize_t size = count;
    const Hdf5Handle memory = handle(H5Screate_simple(1, &size, nullptr), H5Sclose);
    check(H5Dvlen_reclaim(ids_.type.get(), memory.get(), H5P_DEFAULT, texts.data()));
  }

  void read_fixed(std::uint64_t row, std::uint64_t count) {
    const std::size_t size = H5Tget_size(ids_.type.get());
    if (size == 0 || size > kStretchBytes / kIdsAtOnce * 64) malformed("its ids are too long");
    std::string bytes(size * count, '\0');
    read_rows(ids_, row, count, ids_.type.get(), bytes.data());
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::string_view text = std::string_view(bytes).substr(k * size, size);
      texts_.emplace_back(text.substr(0, text.find('\0')));
    }
  }

  const std::string path_;
  Hdf5Handle file_;
  OpenDataset ids_;
  std::vector<EmbeddingDataset> datasets_;
  std::vector<OpenDataset> opened_;
  std::vector<Stretch> stretches_;
  std::uint64_t first_id_ = 0;
  std::vector<std::string> texts_;
};

}  // namespace

bool is_hdf5(std::string_view beginning) {
  return beginning.starts_with("\x89HDF\r\n\x1a\n");
}

std::unique_ptr<EmbeddingReader> open_hdf5_embeddings(const std::filesystem::path& path) {
  return std::make_unique<Hdf5Embeddings>(path);
}

}  // namespace virnucpro

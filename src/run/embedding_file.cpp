#include "run/embedding_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "run/hdf5_handle.hpp"

namespace virnucpro {
namespace {

constexpr hsize_t kChunkBytes = 256U << 10U;  // a few rows: what HDF5 reads and writes at once
constexpr hsize_t kIdsPerChunk = 1024;

Hdf5Handle text_type(const std::string& file) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, file);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// A dataset whose first dimension is rows and can grow.
class GrowingDataset {
 public:
  GrowingDataset() = default;
  // `width` 0: one value a row, without a second dimension.
  GrowingDataset(const Hdf5Handle& file, const char* name, hid_t type, hsize_t width,
                 const Hdf5Handle& properties, const std::string& path)
      : path_(path), width_(width) {
    const std::array<hsize_t, 2> none{0, width};
    const std::array<hsize_t, 2> most{H5S_UNLIMITED, width};
    const Hdf5Handle space(H5Screate_simple(rank(), none.data(), most.data()), H5Sclose, path_);
    dataset_ = Hdf5Handle(
        H5Dcreate2(file.get(), name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose, path_);
  }

  explicit operator bool() const { return static_cast<bool>(dataset_); }

  void resize(hsize_t rows) {
    if (rows == rows_) return;
    const std::array<hsize_t, 2> extent{rows, width_};
    check(H5Dset_extent(dataset_.get(), extent.data()));
    rows_ = rows;
  }

  // Writes rows [first, first + count), which exist.
  void write(hsize_t first, hsize_t count, hid_t type, const void* data) {
    const std::array<hsize_t, 2> start{first, 0};
    const std::array<hsize_t, 2> size{count, width_};
    const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose, path_);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                              nullptr));
    const Hdf5Handle memory(H5Screate_simple(rank(), size.data(), nullptr), H5Sclose, path_);
    check(H5Dwrite(dataset_.get(), type, memory.get(), space.get(), H5P_DEFAULT, data));
  }

  void close() { check(dataset_.close()); }

 private:
  int rank() const { return width_ == 0 ? 1 : 2; }
  void check(herr_t result) const {
    if (result < 0) throw Error(ErrorKind::kOutputWrite, Place{.file = path_}, hdf5_reason());
  }

  std::string path_;
  hsize_t width_ = 0;
  hsize_t rows_ = 0;
  Hdf5Handle dataset_;
};

Hdf5Handle chunked(hsize_t rows, hsize_t width, const std::string& path) {
  Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
  const std::array<hsize_t, 2> chunk{rows, width};
  H5Pset_chunk(properties.get(), width == 0 ? 1 : 2, chunk.data());
  H5Pset_obj_track_times(properties.get(), false);  // equal data, equal bytes
  return properties;
}

GrowingDataset make_embeddings(const Hdf5Handle& file, const char* name, std::uint32_t width,
                               const std::string& path) {
  if (width == 0) return {};
  const hsize_t rows = std::max<hsize_t>(1, kChunkBytes / (sizeof(float) * hsize_t{width}));
  const Hdf5Handle properties = chunked(rows, width, path);
  const float absent = std::numeric_limits<float>::quiet_NaN();
  H5Pset_fill_value(properties.get(), H5T_NATIVE_FLOAT, &absent);
  return {file, name, H5T_IEEE_F32LE, width, properties, path};
}

Hdf5Handle create_file(const std::string& path) {
  // At exit HDF5 would write once more what it could not write before, and crash.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures are thrown, not printed
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  // The file is nobody else's until it has its name, and some network file systems have no locks.
  H5Pset_file_locking(access.get(), 0, 1);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, path};
}

void write_attribute(const Hdf5Handle& file, const std::string& name, const std::string& value,
                     const std::string& path) {
  const Hdf5Handle type = text_type(path);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, path);
  const Hdf5Handle attribute(
      H5Acreate2(file.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, path);
  const char* text = value.c_str();
  if (H5Awrite(attribute.get(), type.get(), &text) < 0) {
    throw Error(ErrorKind::kOutputWrite, Place{.file = path}, hdf5_reason());
  }
}

}  // namespace

struct EmbeddingFile::Datasets {
  AtomicFile atomic;
  std::string path;
  EmbeddingWidths widths;
  Hdf5Handle file;
  GrowingDataset ids;
  GrowingDataset dnabert_s;
  GrowingDataset esm2;
  GrowingDataset merged;
  std::uint64_t rows = 0;
  std::vector<std::string> waiting;  // ids of the last rows, not written yet
  std::vector<float> both;           // a merged row

  Datasets(const std::filesystem::path& final_path, const EmbeddingWidths& wanted)
      : atomic(final_path),
        path(atomic.partial_path().string()),
        widths(wanted),
        file(create_file(path)),
        ids(file, "ids", text_type(path).get(), 0, chunked(kIdsPerChunk, 0, path), path),
        dnabert_s(make_embeddings(file, "dnabert_s", widths.dnabert_s, path)),
        esm2(make_embeddings(file, "esm2", widths.esm2, path)),
        merged(make_embeddings(file, "merged", widths.merged, path)) {}

  void write_ids() {
    if (waiting.empty()) return;
    std::vector<const char*> texts;
    for (const std::string& id : waiting) texts.push_back(id.c_str());
    ids.resize(rows);
    ids.write(rows - waiting.size(), waiting.size(), text_type(path).get(), texts.data());
    waiting.clear();
  }

  void write_row(GrowingDataset& dataset, std::uint32_t width, std::uint64_t row,
                 std::span<const float> values) const {
    if (!dataset) return;
    if (row >= rows || values.size() != width) {
      throw Error(ErrorKind::kInternal,
                  fmt::format("row {} of {} with {} values does not fit a dataset of width {}", row,
                              rows, values.size(), width));
    }
    dataset.resize(rows);
    dataset.write(row, 1, H5T_NATIVE_FLOAT, values.data());
  }

  void resize_all() {
    for (GrowingDataset* dataset : {&ids, &dnabert_s, &esm2, &merged}) {
      if (*dataset) dataset->resize(rows);
    }
  }

  void close() {
    for (GrowingDataset* dataset : {&ids, &dnabert_s, &esm2, &merged}) dataset->close();
    if (file.close() < 0) {
      throw Error(ErrorKind::kOutputWrite, Place{.file = path}, hdf5_reason());
    }
  }
};

EmbeddingFile::EmbeddingFile(const std::filesystem::path& path, const EmbeddingWidths& widths,
                             const std::map<std::string, std::string>& attributes)
    : datasets_(std::make_unique<Datasets>(path, widths)) {
  for (const auto& [name, value] : attributes) {
    write_attribute(datasets_->file, name, value, datasets_->path);
  }
}

EmbeddingFile::~EmbeddingFile() = default;

std::uint64_t EmbeddingFile::rows() const {
  return datasets_->rows;
}

std::uint64_t EmbeddingFile::add_row(const std::string& id) {
  Datasets& data = *datasets_;
  data.waiting.push_back(id);
  const std::uint64_t row = data.rows++;
  if (data.waiting.size() == kIdsPerChunk) data.write_ids();
  return row;
}

void EmbeddingFile::truncate(std::uint64_t rows) {
  Datasets& data = *datasets_;
  if (rows >= data.rows) return;
  const std::uint64_t dropped = std::min<std::uint64_t>(data.rows - rows, data.waiting.size());
  data.waiting.resize(data.waiting.size() - static_cast<std::size_t>(dropped));
  data.rows = rows;
  data.write_ids();
  data.resize_all();
}

void EmbeddingFile::write(std::uint64_t row, std::span<const float> dnabert_s,
                          std::span<const float> esm2) {
  Datasets& data = *datasets_;
  data.write_row(data.dnabert_s, data.widths.dnabert_s, row, dnabert_s);
  data.write_row(data.esm2, data.widths.esm2, row, esm2);
  if (!data.merged) return;
  data.both.assign(dnabert_s.begin(), dnabert_s.end());
  data.both.insert(data.both.end(), esm2.begin(), esm2.end());
  data.write_row(data.merged, data.widths.merged, row, data.both);
}

void EmbeddingFile::commit() {
  Datasets& data = *datasets_;
  data.write_ids();
  data.resize_all();
  data.close();
  data.atomic.commit();
}

}  // namespace virnucpro

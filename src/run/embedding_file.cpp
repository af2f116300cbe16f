#include "run/embedding_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "run/hdf5_dataset.hpp"

namespace virnucpro {
namespace {

constexpr hsize_t kChunkBytes = 256U << 10U;  // HDF5 reads and writes chunks of this size
constexpr hsize_t kIdsPerChunk = 1024;

GrowingDataset make_embeddings(const Hdf5Handle& file, const char* name, std::uint32_t width,
                               const std::string& path) {
  if (width == 0) return {};
  const hsize_t rows = std::max<hsize_t>(1, kChunkBytes / (sizeof(float) * hsize_t{width}));
  const Hdf5Handle properties = hdf5_chunks(rows, width, path);
  const float absent = std::numeric_limits<float>::quiet_NaN();
  H5Pset_fill_value(properties.get(), H5T_NATIVE_FLOAT, &absent);
  return {file, name, H5T_IEEE_F32LE, width, properties, path};
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
  std::vector<float> both;

  Datasets(const FilePlace& place, const EmbeddingWidths& wanted)
      : atomic(place),
        path(AtomicFile::partial_name(place.path).string()),
        widths(wanted),
        file(create_hdf5(atomic.reachable_path().string(), path)),
        ids(file, "ids", hdf5_text(path).get(), 0, hdf5_chunks(kIdsPerChunk, 0, path), path),
        dnabert_s(make_embeddings(file, "dnabert_s", widths.dnabert_s, path)),
        esm2(make_embeddings(file, "esm2", widths.esm2, path)),
        merged(make_embeddings(file, "merged", widths.merged, path)) {}

  void write_ids() {
    if (waiting.empty()) return;
    std::vector<const char*> texts;
    for (const std::string& id : waiting) texts.push_back(id.c_str());
    ids.resize(rows);
    ids.write(rows - waiting.size(), waiting.size(), hdf5_text(path).get(), texts.data());
    waiting.clear();
  }

  void write_row(GrowingDataset& dataset, std::uint32_t width, std::uint64_t row,
                 std::span<const float> values) const {
    if (!dataset) return;
    if (row >= rows || values.size() != width) {
      throw Error(ErrorKind::kInternal,
                  fmt::format("row {} of {} has {} values; the dataset has {} in each row", row,
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
    check_hdf5(file.close(), path);
  }
};

EmbeddingFile::EmbeddingFile(const FilePlace& place, const EmbeddingWidths& widths,
                             const std::map<std::string, std::string>& attributes)
    : datasets_(std::make_unique<Datasets>(place, widths)) {
  for (const auto& [name, value] : attributes) {
    write_hdf5_attribute(datasets_->file, name, value, datasets_->path);
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

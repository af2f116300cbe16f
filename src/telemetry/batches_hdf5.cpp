#include "telemetry/batches_hdf5.hpp"

#include <fmt/ranges.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text_file.hpp"
#include "run/hdf5_dataset.hpp"
#include "telemetry/batch_line.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kRowsPerChunk = 4096;
constexpr unsigned kCompression = 4;

Hdf5Handle compressed(const std::string& path) {
  Hdf5Handle properties = hdf5_chunks(kRowsPerChunk, 0, path);
  check_hdf5(H5Pset_shuffle(properties.get()), path);
  check_hdf5(H5Pset_deflate(properties.get(), kCompression), path);
  return properties;
}

template <typename T>
double number_of(const T& value) {
  return static_cast<double>(value);
}
double number_of(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

class Columns {
 public:
  Columns(const Hdf5Handle& file, const std::string& path) {
    const Hdf5Handle properties = compressed(path);
    for_each_batch_column(BatchLine{}, [&](std::string_view name, const auto&... /*unused*/) {
      datasets_.emplace_back(file, std::string(name).c_str(), H5T_IEEE_F64LE, 0, properties, path);
    });
    waiting_.resize(datasets_.size());
  }

  void add(const BatchLine& line) {
    auto column = waiting_.begin();
    for_each_batch_column(line, [&column](std::string_view /*name*/, const auto& value, int) {
      column++->push_back(number_of(value));
    });
    if (waiting_.front().size() == kRowsPerChunk) write();
  }

  void close() {
    write();
    for (GrowingDataset& dataset : datasets_) dataset.close();
  }

 private:
  void write() {
    const std::size_t count = waiting_.front().size();
    if (count == 0) return;
    for (std::size_t i = 0; i < datasets_.size(); ++i) {
      datasets_[i].resize(rows_ + count);
      datasets_[i].write(rows_, count, H5T_NATIVE_DOUBLE, waiting_[i].data());
      waiting_[i].clear();
    }
    rows_ += count;
  }

  std::vector<GrowingDataset> datasets_;
  std::vector<std::vector<double>> waiting_;
  hsize_t rows_ = 0;
};

// Adds v2's name for a dataset, as a link, so that the data is not copied.
void link(const Hdf5Handle& file, const char* ours, const char* v2s, const std::string& path) {
  check_hdf5(H5Lcreate_hard(file.get(), ours, file.get(), v2s, H5P_DEFAULT, H5P_DEFAULT), path);
}

void add_lines(const std::filesystem::path& lines, Columns& columns) {
  const std::string name = lines.string();
  for_each_line(lines, [&](std::string_view text) {
    try {
      columns.add(read_batch_line(text, name));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kJson) throw;
    }
  });
}

}  // namespace

void write_batches_hdf5(const std::filesystem::path& lines, const FilePlace& file) {
  AtomicFile atomic(file);
  const std::string path = AtomicFile::partial_name(file.path).string();
  Hdf5Handle hdf5 = create_hdf5(atomic.reachable_path().string(), path);
  write_hdf5_attribute(hdf5, "queue_states", fmt::format("{}", fmt::join(kQueueStateNames, ",")),
                       path);
  Columns columns(hdf5, path);
  add_lines(lines, columns);
  columns.close();
  link(hdf5, "batch", "batch_idx", path);
  link(hdf5, "packing", "packing_efficiency", path);
  check_hdf5(hdf5.close(), path);
  atomic.commit();
}

}  // namespace virnucpro

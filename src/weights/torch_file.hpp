#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "weights/pickle_reader.hpp"
#include "weights/stored_tensor.hpp"
#include "weights/zip_file.hpp"

namespace virnucpro {

// A file of torch.save: a ZIP with the pickle data.pkl and the storages, which are the tensors'
// numbers. The pickle is read as data; nothing in it is executed.
class TorchFile {
 public:
  // `file` must outlive this object. Errors: the kWeights* family, those of read_pickle(), and
  // those of reading the file.
  explicit TorchFile(const SteadyFile& file, const PickleLimits& limits = {},
                     std::span<const AllowedGlobal> globals = weight_globals());
  TorchFile(TorchFile&&) = delete;  // document_ points into pickle_

  const std::string& path() const { return path_; }
  const PickleDocument& document() const { return document_; }
  // Returns the tensor that a kTensor value describes. `name` becomes the tensor's name. The
  // checksum of its storage is not checked. Errors: kWeightsFormat.
  StoredTensor tensor(const std::string& name, const PickleNode& node) const;
  // Reads every member once. Errors: kWeightsCorrupt (a checksum); those of reading the file.
  void check_members() const;

 private:
  [[noreturn]] void malformed(std::string detail) const;
  [[noreturn]] void malformed(const std::string& tensor, std::string detail) const;

  const ZipEntry& find_pickle();
  void check_byte_order() const;
  DType dtype_of(const PickleNode& storage) const;
  Shape numbers(const std::string& name, const PickleNode& tuple) const;
  CheckedRecord record_of(const std::string& name, const PickleNode& storage) const;
  void place_bytes(StoredTensor& tensor, std::uint64_t offset) const;

  std::string beginning_of(const ZipEntry& member, std::size_t most) const;

  const SteadyFile& file_;
  std::string path_;
  std::map<std::string, ZipEntry, std::less<>> members_;
  std::string folder_;
  std::string pickle_;
  PickleDocument document_;
};

}  // namespace virnucpro

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/directory.hpp"

struct faidx_t;

namespace virnucpro {

// htslib's index of a FASTA file.
struct DestroyFaidx {
  void operator()(faidx_t* index) const;
};
using Faidx = std::unique_ptr<faidx_t, DestroyFaidx>;

// Reads the index that lies beside `reference`; empty where there is none.
Faidx load_faidx(const std::string& reference);

// A reference for CRAM, indexed: FASTA, plain or BGZF. An index that lies beside it is used if it
// is not older; otherwise one is made in a temporary folder: nothing is written beside the user's
// file.
class ReferenceIndex {
 public:
  // `path` may be empty: then there is no reference.
  explicit ReferenceIndex(std::string path) : given_(std::move(path)) {}

  bool given() const { return !given_.empty(); }
  // Finds or makes the index, once; the rest is known behind it. Errors, with the name of the file:
  // kInputMissing, kInputReference, kTemporaryFolder.
  void prepare();

  // A name of the reference beside which its index lies.
  const std::string& path() const { return path_; }
  std::uint64_t letters() const { return letters_; }  // of all its sequences
  std::uint64_t longest() const { return longest_; }  // letters of one

 private:
  bool load();
  void use_index_beside(const std::filesystem::path& reference) const;

  std::string given_;
  std::optional<TemporaryFolder> folder_;  // once it is prepared
  std::string path_;
  std::uint64_t letters_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace virnucpro

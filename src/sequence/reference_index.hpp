#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_watch.hpp"
#include "base/temporary_folder.hpp"

struct faidx_t;

namespace virnucpro {

// htslib's index of a FASTA file.
struct DestroyFaidx {
  void operator()(faidx_t* index) const;
};
using Faidx = std::unique_ptr<faidx_t, DestroyFaidx>;

// Reads the index that lies beside `reference`; empty if there is none.
Faidx load_faidx(const std::string& reference);

// An indexed reference for CRAM: FASTA, plain or BGZF. It uses the index beside the file if that is
// not older. Otherwise it makes one in a temporary folder, since it writes nothing beside the
// user's file.
class ReferenceIndex {
 public:
  // `path` may be empty: then there is no reference.
  explicit ReferenceIndex(std::string path) : given_(std::move(path)) {}

  bool given() const { return !given_.empty(); }
  // Finds or makes the index, once; call it before the functions below. Errors, with the file's
  // name: kInputMissing, kInputRead, kInputReference, kTemporaryFolder.
  void prepare();

  // The reference's path, or a link to it; its index lies beside it.
  const std::string& path() const { return path_; }
  std::uint64_t letters() const { return letters_; }  // of all sequences
  std::uint64_t longest() const { return longest_; }  // letters of the longest one
  // kInputChanged, naming the file, if it has changed since it was prepared; empty otherwise.
  std::optional<Error> change() const;

 private:
  bool load();
  void use_index_beside(const std::filesystem::path& reference) const;

  std::string given_;
  UniqueFd file_;
  std::optional<FileWatch> watch_;         // over file_, after prepare()
  std::optional<TemporaryFolder> folder_;  // after prepare(), if it was needed
  std::string path_;
  std::uint64_t letters_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace virnucpro

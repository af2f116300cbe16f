#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/cancel.hpp"
#include "base/directory.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/steady_file.hpp"
#include "sequence/fasta_index.hpp"

struct faidx_t;

namespace virnucpro {

// Frees htslib's index of a FASTA file.
struct DestroyFaidx {
  void operator()(faidx_t* index) const;
};
using Faidx = std::unique_ptr<faidx_t, DestroyFaidx>;

// Reads the index beside `reference`; empty if that fails. The caller must trust the index.
Faidx load_faidx(const std::string& reference);

// An indexed reference for CRAM: FASTA, plain or BGZF. The index is made in a temporary folder; a
// gigabyte of letters takes 2 s. An index that lies beside the user's file is never opened, because
// it may be crafted, out of date or a pipe.
class ReferenceIndex {
 public:
  // `path` may be empty: then there is no reference.
  explicit ReferenceIndex(std::string path) : given_(std::move(path)) {}

  bool given() const { return !given_.empty(); }
  // Makes the index, unless it was made before. Call it before the functions below. Errors:
  // kInputMissing, kInputRead and kInputReference, which name the file; kTemporaryFolder; those of
  // Cancel.
  void prepare(const Cancel& cancel);

  // Returns the path of a link to the reference; the index lies beside the link.
  const std::string& path() const { return path_; }
  std::uint64_t letters() const { return facts_.letters; }  // letters of all sequences
  std::uint64_t index_bytes() const { return facts_.index; }
  std::uint64_t longest() const { return facts_.longest; }  // letters of the longest sequence
  // Returns kInputChanged, which names the file, if the reference has changed since prepare();
  // empty otherwise. Reads the whole file again only if it may have been written to.
  std::optional<Error> change() const;

 private:
  FastaFacts index(const std::string& name, const Cancel& cancel) const;
  bool has_same_text() const;

  std::string given_;
  UniqueFd file_;
  std::optional<FileWatch> watch_;         // set by prepare()
  std::optional<TemporaryFolder> folder_;  // set by prepare()
  std::string path_;
  FastaFacts facts_;
};

}  // namespace virnucpro

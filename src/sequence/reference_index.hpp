#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace virnucpro {

// A reference for CRAM, indexed: FASTA, plain or BGZF. An index that lies beside it is used if it
// is not older; otherwise one is made in a temporary folder: nothing is written beside the user's
// file.
class ReferenceIndex {
 public:
  // Errors, with the reference's name: kInputMissing, kInputReference.
  explicit ReferenceIndex(const std::string& path);
  ~ReferenceIndex();
  ReferenceIndex(const ReferenceIndex&) = delete;
  ReferenceIndex& operator=(const ReferenceIndex&) = delete;

  // A name of the reference beside which its index lies.
  const std::string& path() const { return path_; }
  std::uint64_t letters() const { return letters_; }  // of all its sequences

 private:
  bool load();
  void use_index_beside(const std::filesystem::path& reference) const;

  std::filesystem::path folder_;
  std::string path_;
  std::uint64_t letters_ = 0;
};

}  // namespace virnucpro

#include "sequence/reference_index.hpp"

#include <fcntl.h>
#include <htslib/faidx.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// Opens a local file; a URL is not opened.
UniqueFd open_reference(const std::string& path) {
  UniqueFd file = open_to_read(path, O_NONBLOCK);  // without O_NONBLOCK a pipe could block
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    throw Error(kind_of_reading(errno), Place{.file = path}, errno_text(errno));
  }
  if (S_ISREG(status.st_mode)) return file;
  throw Error(ErrorKind::kInputReference, Place{.file = path}, "it is not a regular file");
}

}  // namespace

void DestroyFaidx::operator()(faidx_t* index) const {
  fai_destroy(index);
}

Faidx load_faidx(const std::string& reference) {
  return Faidx(fai_load3(reference.c_str(), nullptr, nullptr, 0));
}

void ReferenceIndex::prepare(const Cancel& cancel) {
  if (folder_) return;
  file_ = open_reference(given_);
  std::error_code error;
  const fs::path reference = fs::canonical(given_, error);
  watch_.emplace(file_.get(), reference.string());
  folder_.emplace();
  path_ = (folder_->path() / "reference.fa").string();
  fs::create_symlink(reference, path_, error);
  if (error) throw Error(ErrorKind::kTemporaryFolder, Place{.file = path_}, error.message());
  try {
    facts_ = index(path_, cancel);
  } catch (...) {
    folder_.reset();
    throw;
  }
}

FastaFacts ReferenceIndex::index(const std::string& name, const Cancel& cancel) const {
  try {
    return write_fasta_index(open_reference(path_), name, cancel);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kOutputWrite) {
      throw Error(ErrorKind::kTemporaryFolder, error.place(), error.detail());
    }
    if (!error.is(ErrorClass::kOneInput)) throw;
    throw Error(error.kind(), Place{.file = given_}, error.detail());
  }
}

bool ReferenceIndex::has_same_text() const {
  try {
    return index(path_ + ".again", Cancel()).hash == facts_.hash;
  } catch (const Error&) {
    return false;
  }
}

std::optional<Error> ReferenceIndex::change() const {
  std::optional<std::string> changed = watch_ ? watch_->change() : std::nullopt;
  if (!changed && watch_ && watch_->was_touched() && !has_same_text()) {
    changed = "it was written to after it was opened";
  }
  if (!changed) return std::nullopt;
  return Error(ErrorKind::kInputChanged, Place{.file = given_}, *changed);
}

}  // namespace virnucpro

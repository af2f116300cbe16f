#include "sequence/reference_index.hpp"

#include <htslib/faidx.h>
#include <htslib/hts_log.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/system_failure.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

// Throws if `path` is not a readable file; a URL never is.
fs::path checked(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) {
    throw Error(kind_of_reading(errno), Place{.file = path}, errno_text(errno));
  }
  std::error_code error;
  fs::path whole = fs::canonical(path, error);
  if (error || !fs::is_regular_file(whole, error)) {
    throw Error(ErrorKind::kInputReference, Place{.file = path}, "it is not a regular file");
  }
  return whole;
}

// htslib does not report that it had no room for the index.
void require_room(const fs::path& folder) {
  try {
    AtomicFile probe(folder / "probe");
    probe.write(std::string(4096, '\n'));
    probe.sync();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutputWrite) throw;
    throw Error(ErrorKind::kTemporaryFolder, error.place(), error.detail());
  }
}

}  // namespace

void DestroyFaidx::operator()(faidx_t* index) const {
  fai_destroy(index);
}

Faidx load_faidx(const std::string& reference) {
  return Faidx(fai_load3(reference.c_str(), nullptr, nullptr, 0));
}

void ReferenceIndex::prepare() {
  if (folder_) return;
  hts_set_log_level(HTS_LOG_OFF);  // it prints by itself; our errors say it once
  const fs::path reference = checked(given_);
  file_ = open_to_read(reference);
  if (file_.get() < 0) {
    throw Error(kind_of_reading(errno), Place{.file = given_}, errno_text(errno));
  }
  watch_.emplace(file_.get(), reference.string());
  folder_.emplace();
  const fs::path link = folder_->path() / "reference.fa";
  path_ = link.string();
  std::error_code error;
  fs::create_symlink(reference, link, error);
  if (error) throw Error(ErrorKind::kTemporaryFolder, Place{.file = path_}, error.message());
  use_index_beside(reference);
  if (load()) return;
  fs::remove(path_ + ".fai", error);
  fs::remove(path_ + ".gzi", error);
  errno = 0;
  if (fai_build3(path_.c_str(), nullptr, nullptr) == 0 && load()) return;
  const ErrorKind lack = kind_of_failure(errno, ErrorKind::kInputReference);
  if (lack != ErrorKind::kInputReference) throw Error(lack, Place{.file = given_}, "");
  require_room(folder_->path());
  folder_.reset();
  throw Error(ErrorKind::kInputReference, Place{.file = given_},
              "it cannot be indexed: expected FASTA, plain or compressed by bgzip");
}

std::optional<Error> ReferenceIndex::change() const {
  const std::optional<std::string> changed = watch_ ? watch_->change() : std::nullopt;
  if (!changed) return std::nullopt;
  return Error(ErrorKind::kInputChanged, Place{.file = given_}, *changed);
}

void ReferenceIndex::use_index_beside(const fs::path& reference) const {
  std::error_code error;
  const auto written = fs::last_write_time(reference, error);
  if (error) return;
  for (const char* suffix : {".fai", ".gzi"}) {
    const fs::path index = reference.string() + suffix;
    const auto made = fs::last_write_time(index, error);
    if (!error && made >= written) fs::create_symlink(index, path_ + suffix, error);
  }
}

bool ReferenceIndex::load() {
  const Faidx index = load_faidx(path_);
  if (!index) return false;
  letters_ = longest_ = 0;
  for (int i = 0; i < faidx_nseq(index.get()); ++i) {
    const int length = faidx_seq_len(index.get(), faidx_iseq(index.get(), i));
    const auto letters = static_cast<std::uint64_t>(std::max(length, 0));
    letters_ += letters;
    longest_ = std::max(longest_, letters);
  }
  return true;
}

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/file.hpp"

struct BGZF;

namespace virnucpro {

// Writes a file in BGZF, gzip in blocks that can be read in parallel (SAM specification, 4.1). The
// file gets its name only in commit(). Errors: those of AtomicFile.
class BgzfFile {
 public:
  explicit BgzfFile(const std::filesystem::path& path);

  void write(std::string_view text);
  // Writes the end of the file and syncs it to the disk. If several files belong together, call
  // finish() for all of them before the first commit().
  void finish();
  void commit() { file_.commit(); }
  std::filesystem::path reachable_path() const { return file_.reachable_path(); }

 private:
  struct Close {
    void operator()(BGZF* blocks) const;
  };

  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  AtomicFile file_;
  std::unique_ptr<BGZF, Close> blocks_;
};

}  // namespace virnucpro

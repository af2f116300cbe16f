#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/file.hpp"

struct BGZF;

namespace virnucpro {

// Writes a file in BGZF, gzip in blocks that can be read in parallel (SAM specification, 4.1). The
// file gets its name only when it is complete. Errors: those of AtomicFile.
class BgzfFile {
 public:
  explicit BgzfFile(const std::filesystem::path& path);

  void write(std::string_view text);
  // Writes the end and syncs. With several files, finish all before you commit the first.
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

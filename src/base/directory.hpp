#pragma once

#include <filesystem>

namespace virnucpro {

// Makes a folder and its parents; an existing one is left as it is. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

// A new folder in the temporary folder (TMPDIR), removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();  // Errors: kTemporaryFolder.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace virnucpro

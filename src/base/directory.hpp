#pragma once

#include <filesystem>

namespace virnucpro {

// Makes a folder and those above it; one that is there is left as it is. Errors: kOutputWrite.
void make_directory(const std::filesystem::path& directory);

// A folder of our own in the temporary folder (TMPDIR), removed with all it holds.
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

#pragma once

#include <filesystem>

namespace virnucpro {

// A new folder in the temporary folder (TMPDIR). The destructor removes it with everything in it.
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

// Removes this process's temporary folders, for a signal handler: takes no lock and no memory.
void remove_temporary_folders() noexcept;

}  // namespace virnucpro

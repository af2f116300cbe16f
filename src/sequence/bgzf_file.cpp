#include "sequence/bgzf_file.hpp"

#include <htslib/bgzf.h>

#include <cerrno>

namespace virnucpro {

void BgzfFile::Close::operator()(BGZF* blocks) const {
  bgzf_close(blocks);
}

BgzfFile::BgzfFile(const std::filesystem::path& path)
    : path_(path), file_(path), blocks_(bgzf_open(file_.reachable_path().c_str(), "w")) {
  if (!blocks_) fail(errno);
}

void BgzfFile::write(std::string_view text) {
  if (bgzf_write(blocks_.get(), text.data(), text.size()) < 0) fail(errno);
}

void BgzfFile::finish() {
  if (bgzf_close(blocks_.release()) != 0) fail(errno);
  file_.sync();
}

void BgzfFile::fail(int error) const {
  throw write_error(path_, error);
}

}  // namespace virnucpro

#pragma once

#include <htslib/bgzf.h>
#include <htslib/cram.h>
#include <htslib/sam.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "unit/sequence/compressed_file.hpp"

namespace virnucpro {

inline void require_htslib(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// Returns a SAM text that htslib has converted. `mode` is "wb" for BAM, "wb0" for BAM in stored
// blocks, "wc" for CRAM, and so on. `options` are for CRAM, such as "reference=F".
inline std::string written_by_htslib(std::string_view sam, const char* mode,
                                     const std::vector<const char*>& options = {}) {
  const TestFolder folder;
  const std::string from = folder.write("from.sam", sam);
  const std::string to = folder.path("to");
  hts_set_log_level(HTS_LOG_OFF);
  htsFile* const in = hts_open(from.c_str(), "r");
  require_htslib(in != nullptr, "reading SAM");
  htsFile* const out = hts_open(to.c_str(), mode);
  require_htslib(out != nullptr, "hts_open");
  for (const char* option : options) {
    hts_opt* list = nullptr;
    require_htslib(hts_opt_add(&list, option) == 0 && hts_opt_apply(out, list) == 0, option);
    hts_opt_free(list);
  }
  const std::unique_ptr<sam_hdr_t, decltype(&sam_hdr_destroy)> header(sam_hdr_read(in),
                                                                      sam_hdr_destroy);
  require_htslib(header != nullptr && sam_hdr_write(out, header.get()) == 0, "the header");
  const std::unique_ptr<bam1_t, decltype(&bam_destroy1)> record(bam_init1(), bam_destroy1);
  int more = 0;
  while ((more = sam_read1(in, header.get(), record.get())) >= 0) {
    require_htslib(sam_write1(out, header.get(), record.get()) >= 0, "sam_write1");
  }
  require_htslib(more == -1, "sam_read1");
  require_htslib(hts_close(in) == 0, "closing");
  require_htslib(hts_close(out) == 0, "closing");
  return read_text(to);
}

inline std::string bam(std::string_view sam) {
  return written_by_htslib(sam, "wb");
}

// Returns the uncompressed text of a BAM file.
inline std::string bam_text(std::string_view sam) {
  const TestFolder folder;
  BGZF* const file = bgzf_open(folder.write("b", bam(sam)).c_str(), "r");
  std::string text(1U << 20U, '\0');
  text.resize(static_cast<std::size_t>(bgzf_read(file, text.data(), text.size())));
  bgzf_close(file);
  return text;
}

}  // namespace virnucpro

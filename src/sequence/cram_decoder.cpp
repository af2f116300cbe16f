#include "sequence/cram_decoder.hpp"

#include <fmt/format.h>
#include <htslib/cram.h>
#include <htslib/faidx.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <htslib/kstring.h>
#include <htslib/sam.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "sequence/child_process.hpp"
#include "sequence/reference_index.hpp"
#include "sequence/system_call_filter.hpp"

namespace virnucpro {
namespace {

constexpr const char* kGivenNames = "read";  // htslib makes names from it if the file has none
constexpr int kEndOfFile = -1;               // result of sam_read1() at the end
constexpr hts_pos_t kPieceLetters = hts_pos_t{1} << 20;

struct Free {
  void operator()(bam1_t* record) const { bam_destroy1(record); }
  void operator()(hts_md5_context* md5) const { hts_md5_destroy(md5); }
  void operator()(char* text) const { std::free(text); }  // NOLINT(cppcoreguidelines-owning-memory)
  void operator()(htsFile* file) const { hts_close(file); }
  void operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

// Sends bytes to the parent. Returns false if the parent has closed its end of the socket.
bool send(std::string_view bytes) {
  return write_all(STDOUT_FILENO, bytes) == 0;
}

void send_failure(ErrorKind kind, std::string_view detail) {
  CramFrame frame;
  frame.letters = kCramFailure;
  frame.flags = static_cast<std::uint16_t>(kind);
  frame.name = static_cast<std::uint16_t>(std::min<std::size_t>(detail.size(), 0xffff));
  send(std::string(bytes_of(frame)) + std::string(detail.substr(0, frame.name)));
}

bool send_hello() {
  CramHello hello;
  hello.data_bytes = data_bytes();
  return send(bytes_of(hello));
}

void forbid_opening_files() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_NOFILE, &none);
}

// Returns the MD5 of a reference sequence, computed like the header's M5: from the letters in upper
// case, without white space. Empty if the file cannot be read.
std::string md5_of(const faidx_t& index, const char* name) {
  const Owned<hts_md5_context> md5(hts_md5_init());
  if (!md5) return {};
  // Stops at the sequence's length, because a fetch beyond the end returns the last letter.
  const hts_pos_t length = faidx_seq_len(&index, name);
  hts_pos_t size = 0;
  for (hts_pos_t begin = 0; begin < length; begin += size) {
    const Owned<char> piece(
        faidx_fetch_seq64(&index, name, begin, begin + kPieceLetters - 1, &size));
    if (!piece || size <= 0) return {};
    std::transform(piece.get(), piece.get() + size, piece.get(), [](char letter) {
      return static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
    });
    hts_md5_update(md5.get(), piece.get(), static_cast<unsigned long>(size));
  }
  std::array<unsigned char, 16> digest{};
  std::array<char, 33> hex{};
  hts_md5_final(digest.data(), md5.get());
  hts_md5_hex(hex.data(), digest.data());
  return hex.data();
}

class Decoder {
 public:
  // Opens all files, because no file can be opened later. Returns false if one cannot be opened. If
  // the reference cannot be opened, also sends the reason to the parent.
  bool open_files(const std::string& reference) {
    input_ = hdopen(STDIN_FILENO, "r");
    if (reference.empty()) return input_ != nullptr;
    // htslib can give file_ its reference only after it has read the header, but then no file can
    // be opened. So another CRAM, which is never written, opens the reference now. file_ later
    // shares it.
    reference_ = hts_open("/dev/null", "wc");
    if (reference_ == nullptr ||
        hts_set_opt(reference_, CRAM_OPT_REFERENCE, reference.c_str()) != 0 ||
        !(index_ = load_faidx(reference))) {
      return fail(ErrorKind::kInputReference, "htslib cannot open the file of --reference");
    }
    return input_ != nullptr;
  }

  // Decodes the header. If that fails, sends the reason to the parent and returns false.
  bool read_header() {
    file_.reset(hts_hopen(input_, kGivenNames, "r"));
    if (!file_ || hts_get_format(file_.get())->format != cram) return fail_to_begin();
    header_.reset(sam_hdr_read(file_.get()));
    if (!header_) return fail_to_begin();
    hts_set_opt(file_.get(), CRAM_OPT_REQUIRED_FIELDS, SAM_QNAME | SAM_FLAG | SAM_RNAME | SAM_SEQ);
    checked_.resize(static_cast<std::size_t>(std::max(sam_hdr_nref(header_.get()), 0)));
    unchecked_.resize(checked_.size());
    prepare_header();
    return reference_ == nullptr || share_reference();
  }

  void run() {
    const Owned<bam1_t> record(bam_init1());
    int result = 0;
    while ((result = sam_read1(file_.get(), header_.get(), record.get())) >= 0) {
      if (!check_reference(record->core.tid) || !send_record(*record)) return;
    }
    if (result != kEndOfFile) diagnose();
  }

 private:
  static bool fail_to_begin() {
    return fail(ErrorKind::kInputCorrupt, "the CRAM's header cannot be decoded");
  }

  // Changes htslib's own header; header_ is only a copy of it. Removes M5 and UR, so that htslib
  // does not look for sequences elsewhere (environment, network). Sets each sequence's length to
  // that in the reference: htslib cuts sequences at the header's length, which may be wrong.
  void prepare_header() {
    sam_hdr_t* const own = cram_fd_get_header(file_->fp.cram);
    for (int number = 0; number < sam_hdr_nref(header_.get()); ++number) {
      const char* const name = sam_hdr_tid2name(header_.get(), number);
      for (const char* tag : {"M5", "UR"}) sam_hdr_remove_tag_id(own, "SQ", "SN", name, tag);
      const int length = index_ ? faidx_seq_len(index_.get(), name) : -1;
      if (length <= 0 || length == sam_hdr_tid2len(header_.get(), number)) continue;
      sam_hdr_update_line(own, "SQ", "SN", name, "LN", fmt::format("{}", length).c_str(), nullptr);
    }
  }

  // Lets file_ use the reference. htslib crashes if the reference lacks a sequence of the header.
  // To prevent this, sets the header again: this adds the sequence. Then sets a null reference:
  // this gives the sequence a number.
  bool share_reference() {
    cram_fd* const cram = file_->fp.cram;
    const char* const no_other = nullptr;
    if (hts_set_opt(file_.get(), CRAM_OPT_SHARED_REF, cram_get_refs(reference_)) == 0 &&
        cram_set_header(cram, cram_fd_get_header(cram)) == 0 &&
        hts_set_opt(file_.get(), CRAM_OPT_REFERENCE, no_other) == 0) {
      return true;
    }
    return fail(ErrorKind::kInputReference, "htslib cannot use the file of --reference");
  }

  static bool fail(ErrorKind kind, std::string_view detail) {
    send_failure(kind, detail);
    return false;
  }

  // Compares the MD5 of a reference sequence with the header's M5. If they differ, sends the reason
  // and returns false. htslib compares them only in slices that lie on one sequence.
  bool check_reference(int number) {
    if (!index_ || number < 0 || static_cast<std::size_t>(number) >= checked_.size()) return true;
    if (checked_[static_cast<std::size_t>(number)]) return true;
    checked_[static_cast<std::size_t>(number)] = true;
    const char* const name = sam_hdr_tid2name(header_.get(), number);
    kstring_t expected = KS_INITIALIZE;
    const bool known = faidx_has_seq(index_.get(), name) != 0 &&
                       sam_hdr_find_tag_id(header_.get(), "SQ", "SN", name, "M5", &expected) == 0;
    const Owned<char> text(expected.s);
    unchecked_[static_cast<std::size_t>(number)] = !known;
    if (!known) return true;
    const std::string found = md5_of(*index_, name);
    if (found == text.get()) return true;
    if (found.empty()) {
      return fail(ErrorKind::kInputRead,
                  fmt::format("sequence {} of the reference cannot be read", name));
    }
    return fail(ErrorKind::kInputReference,
                fmt::format("sequence {} of the reference is not the one that the CRAM was made "
                            "with: its MD5 is {}, and the CRAM's header gives {}",
                            name, found, text.get()));
  }

  // Sends the parent the reason why the next record cannot be decoded.
  void diagnose() {
    for (int number = 0; index_ && number < sam_hdr_nref(header_.get()); ++number) {
      const char* const name = sam_hdr_tid2name(header_.get(), number);
      if (faidx_has_seq(index_.get(), name) == 0) {
        fail(ErrorKind::kInputReference,
             fmt::format("the reference has no sequence {}, which the CRAM names", name));
        return;
      }
      if (!check_reference(number)) return;
    }
    fail(ErrorKind::kInputCorrupt, "");
  }

  bool send_record(const bam1_t& record) {
    const std::string_view name(bam_get_qname(&record));
    const auto letters = static_cast<std::uint32_t>(record.core.l_qseq);
    CramFrame frame;
    frame.input = static_cast<std::uint64_t>(htell(input_));
    frame.letters = letters;
    frame.name = static_cast<std::uint16_t>(name.size());
    frame.flags = record.core.flag;
    const auto sequence = static_cast<std::size_t>(std::max(record.core.tid, -1));
    frame.unchecked = sequence < unchecked_.size() && unchecked_[sequence] ? 1 : 0;
    text_ = bytes_of(frame);
    text_ += name;
    const std::uint8_t* const codes = bam_get_seq(&record);
    for (std::uint32_t i = 0; i < letters; ++i) text_ += seq_nt16_str[bam_seqi(codes, i)];
    return send(text_);
  }

  hFILE* input_ = nullptr;        // owned by file_
  htsFile* reference_ = nullptr;  // never closed, because closing would write to it
  Owned<htsFile> file_;
  Owned<sam_hdr_t> header_;
  Faidx index_;
  std::vector<bool> checked_;    // [sequence]: check_reference() was called
  std::vector<bool> unchecked_;  // [sequence]: its MD5 is not known
  std::string text_;
};

}  // namespace

void decode_cram(const std::string& reference) {
  hts_set_log_level(HTS_LOG_OFF);
  Decoder decoder;
  if (!send_hello() || !decoder.open_files(reference)) return;
  forbid_opening_files();
  const bool is_filtered = filter_system_calls();
  if (!decoder.read_header()) return;
  CramFrame begun;
  begun.letters = kCramBegun;
  begun.unchecked = is_filtered ? 0 : 1;
  if (!send(bytes_of(begun))) return;
  decoder.run();
}

}  // namespace virnucpro

#include "sequence/fasta_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "sequence/gzip_decoder.hpp"
#include "sequence/raw_bytes.hpp"
#include "sequence/record.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kMostBlocks = 4U << 20U;  // a block has up to 64 KiB: 256 GiB of text
constexpr std::uint64_t kMostLetters = std::numeric_limits<std::int32_t>::max();  // CRAM's limit
constexpr std::string_view kSpaces = " \t\n\v\f\r";

Error refusal(std::string_view reason) {
  return {ErrorKind::kInputReference,
          fmt::format("it cannot be indexed: {}; give FASTA, plain or compressed by bgzip, with "
                      "lines of one length in each sequence",
                      reason)};
}

// Receives a FASTA file's text in parts, and writes one line of the index for each sequence.
class FastaIndexer {
 public:
  explicit FastaIndexer(AtomicFile& index) : index_(index) {}

  void add(std::string_view text) {
    hash_.update(as_bytes(text));
    while (!text.empty()) {
      const std::size_t size = take(text);
      offset_ += size;
      text.remove_prefix(size);
    }
  }

  FastaFacts finish() {
    end_line();
    end_sequence();
    facts_.hash = hash_.hex();
    return facts_;
  }

 private:
  enum class Within : std::uint8_t { kNothing, kName, kHeader, kLetters };

  struct Line {
    std::uint64_t letters = 0;
    std::uint64_t bytes = 0;  // including the line end
  };

  // Handles the beginning of the text, and returns how many bytes it handled.
  std::size_t take(std::string_view text) {
    switch (within_) {
      case Within::kNothing:
        return begin_line(text.front());
      case Within::kName:
        return take_name(text);
      case Within::kHeader:
        return take_header(text);
      case Within::kLetters:
        break;
    }
    return take_letters(text);
  }

  std::size_t begin_line(char first) {
    if (first != '>') {
      if (!has_begun_ && kSpaces.find(first) == std::string_view::npos) {
        throw refusal("it does not begin with '>'");
      }
      within_ = has_begun_ ? Within::kLetters : Within::kNothing;
      return has_begun_ ? 0 : 1;
    }
    end_sequence();
    has_begun_ = true;
    within_ = Within::kName;
    return 1;
  }

  std::size_t take_name(std::string_view text) {
    const std::size_t size = std::min(text.find_first_of(kSpaces), text.size());
    name_ += text.substr(0, size);
    if (name_.size() > kLongestAllowedId) {
      throw refusal(
          fmt::format("the name of a sequence has more than {} bytes", kLongestAllowedId));
    }
    if (size < text.size()) within_ = Within::kHeader;
    return size;
  }

  std::size_t take_header(std::string_view text) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    if (text[size - 1] == '\n') within_ = Within::kNothing;
    begin_ = offset_ + size;
    return size;
  }

  std::size_t take_letters(std::string_view text) {
    const std::size_t letters = std::min(text.find('\n'), text.size());
    line_.letters += letters;
    line_.bytes += letters;
    if (letters > 0) ends_in_return_ = text[letters - 1] == '\r';
    if (letters == text.size()) return letters;
    ++line_.bytes;
    end_line();
    return letters + 1;
  }

  // Ends a line. All lines of a sequence except the last must be equally long, because htslib
  // computes a byte offset in the file from a position in the sequence.
  void end_line() {
    Line line = std::exchange(line_, {});
    if (std::exchange(ends_in_return_, false)) --line.letters;
    within_ = Within::kNothing;
    if (line.letters > 0 && was_last_) refuse_lengths();
    if (first_.bytes == 0) first_ = line;
    if (line.letters > first_.letters) refuse_lengths();
    was_last_ = was_last_ || line.letters < first_.letters || line.bytes != first_.bytes;
    letters_ += line.letters;
    if (letters_ > kMostLetters) {
      throw refusal(fmt::format("sequence {} has more than {} letters, the limit of CRAM", name_,
                                kMostLetters));
    }
  }

  [[noreturn]] void refuse_lengths() const {
    throw refusal(fmt::format("sequence {} has lines of different lengths", name_));
  }

  void end_sequence() {
    if (!name_.empty() && letters_ > 0) {
      if (name_.find('\0') != std::string::npos) {
        throw refusal("the name of a sequence has a NUL byte");
      }
      index_.write(fmt::format("{}\t{}\t{}\t{}\t{}\n", name_, letters_, begin_, first_.letters,
                               first_.bytes));
      facts_.letters += letters_;
      facts_.longest = std::max(facts_.longest, letters_);
    }
    name_.clear();
    first_ = {};
    letters_ = 0;
    was_last_ = false;
  }

  AtomicFile& index_;
  FastaFacts facts_;
  ContentHash hash_;
  std::uint64_t offset_ = 0;  // the next byte's offset in the text
  Within within_ = Within::kNothing;
  bool has_begun_ = false;
  // The current sequence.
  std::string name_;
  std::uint64_t begin_ = 0;  // the offset of its first letter
  Line first_;
  std::uint64_t letters_ = 0;
  bool was_last_ = false;  // a line differed from the first; that line must be the last
  // The current line.
  Line line_;
  bool ends_in_return_ = false;
};

// Collects each BGZF block's offsets in the file and in the text, and writes them as htslib's .gzi.
class BlockIndex {
 public:
  void add(std::uint64_t in_file, std::uint64_t in_text) {
    if (in_text == 0) return;  // the format leaves out the first block
    if (blocks_ == kMostBlocks) {
      throw refusal(fmt::format("it has more than {} BGZF blocks", kMostBlocks));
    }
    ++blocks_;
    offsets_ += bytes_of(in_file);
    offsets_ += bytes_of(in_text);
  }

  void write(const std::filesystem::path& path) const {
    AtomicFile file(path);
    file.write(bytes_of(blocks_));
    file.write(offsets_);
    file.commit();
  }

 private:
  std::uint64_t blocks_ = 0;
  std::string offsets_;
};

void add_blocks(RawBytes& bytes, const std::filesystem::path& path, FastaIndexer& indexer,
                const Cancel& cancel) {
  BlockIndex blocks;
  GzipDecoder decoder(bytes);
  std::uint64_t size = 0;
  try {
    while (true) {
      cancel.check();
      const std::string_view text = decoder.next();
      if (text.empty()) break;
      if (!decoder.only_blocks()) throw refusal("it is compressed by gzip, not by bgzip");
      blocks.add(decoder.block_offset(), size);
      size += text.size();
      indexer.add(text);
    }
  } catch (const Error& error) {
    if (!error.is(ErrorClass::kDamage)) throw;
    throw refusal(error.detail());
  }
  blocks.write(path);
}

}  // namespace

FastaFacts write_fasta_index(UniqueFd fasta, const std::filesystem::path& name,
                             const Cancel& cancel) {
  AtomicFile index(name.string() + ".fai");
  FastaIndexer indexer(index);
  RawBytes bytes(std::move(fasta));
  if (is_gzip(bytes.peek(2))) {
    add_blocks(bytes, name.string() + ".gzi", indexer, cancel);
  } else {
    for (std::string_view text = bytes.peek(); !text.empty(); text = bytes.peek()) {
      cancel.check();
      indexer.add(text);
      bytes.take(text.size());
    }
  }
  FastaFacts facts = indexer.finish();
  facts.index = index.size();
  if (facts.letters == 0) throw refusal("it has no sequence");
  index.commit();
  return facts;
}

}  // namespace virnucpro

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "sequence/bgzf_file.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {

// Which pairs are written: pairs with at least one mate called virus, or pairs with both.
enum class PairRule : std::uint8_t { kEither, kBoth };

// Returns the names of FASTQ files with this prefix: for single reads, first mates, second mates.
std::vector<std::filesystem::path> fastq_names(const std::string& prefix);
inline constexpr std::array<const char*, 3> kFastqEndings{".fastq.gz", "_1.fastq.gz",
                                                          "_2.fastq.gz"};
inline constexpr std::size_t kFastqFiles = kFastqEndings.size();

// How to treat a file that has one of these names.
enum class AtName : std::uint8_t {
  kNew,      // no file may have this name
  kOwn,      // the run wrote this file: it is replaced, or removed if there is no new file
  kReplace,  // any file is replaced, or renamed by drop() if there is no new file
  kLeave,    // somebody removed the run's file: it is not written again
};

struct FastqOutput {
  std::string prefix{};
  PairRule pair_rule = PairRule::kEither;
  std::array<AtName, kFastqFiles> names{};
};

struct VirusOutputs {
  bool fasta = false;  // virus.fasta in the run's directory
  std::vector<FastqOutput> fastq{};

  bool any() const { return fasta || !fastq.empty(); }
};

// True if a file, folder or link has this name, even a broken link.
bool is_at(const std::filesystem::path& name);

// Checks that drop() can rename a file. Errors: kOutputExists.
void require_can_drop(const std::filesystem::path& file);
// Renames a file to NAME.of-old-rule. Errors: kOutputExists, kOutputWrite.
void drop(const std::filesystem::path& file);

// Checks that the FASTQ files can be written. Call it before anything is computed. Errors: kUsage
// if an input would be replaced, kOutputExists if a file exists that must not be replaced,
// kOutputWrite if a file cannot be made.
void require_fastq_place(const VirusOutputs& wanted, const InputSettings& inputs);

// Writes reads called virus with their qualities. PREFIX_1.fastq.gz and PREFIX_2.fastq.gz have the
// first and second mates of pairs, in the same order. PREFIX.fastq.gz has all other reads. If
// `paired`, all reads are pairs, and only the first two files are written. Otherwise
// PREFIX.fastq.gz is always written, and the other two only if there is a pair. A mate that is not
// next to its partner goes to PREFIX.fastq.gz, or with kBoth to no file.
class VirusFastq {
 public:
  VirusFastq(const FastqOutput& wanted, bool paired);

  // Adds a record. Call it for all records of the run in order, whatever their calls.
  void add(const InputRecord& record, bool is_virus);
  // Call finish() after the last record. Then commit() gives the files their names, as AtName says.
  void finish();
  void commit();
  // Returns the files that commit() will name; nullptr for a file that is not written.
  std::array<BgzfFile*, kFastqFiles> complete();
  const FastqOutput& wanted() const { return wanted_; }

 private:
  struct Held {
    InputRecord record;
    bool is_virus = false;
  };
  struct PairFiles {
    explicit PairFiles(const std::vector<std::filesystem::path>& names)
        : first(names.at(1)), second(names.at(2)) {}
    BgzfFile first;
    BgzfFile second;
  };

  void write(BgzfFile& file, const InputRecord& record);
  void write_pair(const Held& one, const Held& other);
  void write_held();

  FastqOutput wanted_;
  std::vector<std::filesystem::path> names_;
  std::uint64_t parted_ = 0;  // mates called virus that are not next to their partner
  std::optional<BgzfFile> singles_;
  std::optional<PairFiles> pairs_;
  std::optional<Held> held_;  // a read whose mate may follow
  std::string text_;
};

// Writes all files of the sequences called virus. finish() completes the files, and commit() gives
// them their names, so that errors come before other files change. Errors: kOutputWrite,
// kOutputExists.
class VirusFiles {
 public:
  // `fasta` is the place of virus.fasta. `inputs` are the inputs' names; if there are several, each
  // header of virus.fasta ends with the name of the sequence's input.
  VirusFiles(const VirusOutputs& wanted, const FilePlace& fasta, bool paired,
             std::vector<std::string> inputs);

  void add(const InputRecord& record, bool is_virus);
  void finish();
  void commit();
  std::deque<VirusFastq>& fastq() { return fastq_; }

 private:
  void write_fasta(const InputRecord& record);

  std::vector<std::string> inputs_;
  std::optional<AtomicFile> fasta_;
  std::deque<VirusFastq> fastq_;
  std::string text_;
};

}  // namespace virnucpro

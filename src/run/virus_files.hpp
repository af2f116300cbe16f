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

// Which pairs are written: those of which either mate is called virus, or both.
enum class PairRule : std::uint8_t { kEither, kBoth };

// The names that FASTQ files with this prefix may get: of single reads, of first and second mates.
std::vector<std::filesystem::path> fastq_names(const std::string& prefix);
inline constexpr std::array<const char*, 3> kFastqEndings{".fastq.gz", "_1.fastq.gz",
                                                          "_2.fastq.gz"};
inline constexpr std::size_t kFastqFiles = kFastqEndings.size();

// What may be done at one of these names.
enum class AtName : std::uint8_t {
  kNew,      // nothing may be there
  kOwn,      // the run wrote what is there: it is replaced, or removed if there is no such file now
  kReplace,  // what is there is replaced by such a file, or dropped if there is none now
  kLeave,    // what was there is gone, and stays so
};

struct FastqOutput {
  std::string prefix{};
  PairRule pair_rule = PairRule::kEither;
  std::array<AtName, kFastqFiles> names{};
};

// What is written of the sequences called virus.
struct VirusOutputs {
  bool fasta = false;  // virus.fasta in the run's directory
  std::vector<FastqOutput> fastq{};

  bool any() const { return fasta || !fastq.empty(); }
};

// Whether something has this name, a link to nothing too.
bool is_at(const std::filesystem::path& name);

// Checks that drop() can rename a file. Errors: kOutputExists.
void require_can_drop(const std::filesystem::path& file);
// Renames a file to NAME.of-old-rule. Errors: kOutputExists, kOutputWrite.
void drop(const std::filesystem::path& file);

// Call it before anything is computed. Errors: kUsage where an input would be replaced,
// kOutputExists where a file of these names is there and may not be, kOutputWrite where none can be
// made.
void require_fastq_place(const VirusOutputs& wanted, const InputSettings& inputs);

// Writes reads called virus with their qualities: PREFIX_1.fastq.gz and PREFIX_2.fastq.gz hold
// pairs, in step; PREFIX.fastq.gz holds the others. With `paired` there are no others, and only
// pairs get files; else PREFIX.fastq.gz is always written, and the two when there is a pair. A mate
// that does not stand beside its other is written with the others, or left out where both have to
// be virus.
class VirusFastq {
 public:
  VirusFastq(const FastqOutput& wanted, bool paired);

  // All records of the run in order, whatever their calls.
  void add(const InputRecord& record, bool is_virus);
  // After the last one. Then commit() gives the files their names, as AtName says.
  void finish();
  void commit();
  // Those that finish() has completed, which commit() will give a name; nullptr for one that is not
  // written.
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
  std::uint64_t parted_ = 0;  // mates called virus whose other does not stand beside them
  std::optional<BgzfFile> singles_;
  std::optional<PairFiles> pairs_;
  std::optional<Held> held_;  // its mate may follow
  std::string text_;
};

// All that is written of the sequences called virus. The files are complete when finish() returns,
// and commit() gives them their names: so they can be known to be right before other files change.
// Errors: kOutputWrite, kOutputExists.
class VirusFiles {
 public:
  // `fasta`: where virus.fasta goes. `inputs`: their names; if there are several, the headers of
  // virus.fasta end with a sequence's.
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

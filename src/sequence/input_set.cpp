#include "sequence/input_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/hash.hpp"
#include "base/log.hpp"
#include "sequence/bam_reader.hpp"
#include "sequence/cram_reader.hpp"
#include "sequence/open_input.hpp"
#include "sequence/pair_names.hpp"
#include "sequence/rna_judge.hpp"
#include "sequence/sam_reader.hpp"
#include "sequence/sequence_parser.hpp"

namespace virnucpro {
namespace {

Qualities qualities_of(const InputSettings& settings) {
  return settings.qualities ? Qualities::kKeep : Qualities::kPassOver;
}

class RecordStream {
 public:
  RecordStream() = default;
  virtual ~RecordStream() = default;
  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;

  virtual std::optional<InputRecord> next() = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual std::uint64_t position() const = 0;  // stored bytes of the files read so far
  virtual std::string hash() const = 0;
  virtual SkippedAlignments skipped() const { return {}; }
  // Returns kInputChanged if a file has changed while it was read; empty otherwise.
  virtual std::optional<Error> change() const = 0;
};

// Is called at the end of a text. Throws for FASTA in BGZF without an end marker, because no other
// check would notice that the file was cut. For FASTQ only warns: bcl2fastq writes no end marker,
// and the parser notices a cut record.
void settle_end(const OpenInput& file, const SequenceParser& parser) {
  if (!file.source.lacks_end_marker()) return;
  if (!parser.is_fastq()) {
    const std::uint64_t last = std::max<std::uint64_t>(parser.records(), 1);
    throw Error(no_end_marker().kind(),
                Place{.file = file.name, .record = last, .offset = parser.bytes()},
                no_end_marker().detail());
  }
  log_warning(
      "{}: the BGZF end marker is missing (bcl2fastq writes none); the last record is whole, so "
      "the file was read",
      file.name);
}

class TextStream : public RecordStream {
 public:
  TextStream(std::unique_ptr<OpenInput> file, const InputSettings& settings)
      : file_(std::move(file)),
        parser_(file_->text, file_->name, {.header = settings.longest_header},
                TextFormats::kFastaOrFastq, qualities_of(settings)) {}

  std::optional<InputRecord> next() override {
    std::optional<SequenceRecord> record = parser_.next();
    if (!record) settle_end(*file_, parser_);
    if (!record) return std::nullopt;
    std::string id(sequence_id(record->header));
    return InputRecord{.input = 0, .id = std::move(id), .record = *std::move(record)};
  }
  std::uint64_t bytes() const override { return parser_.bytes(); }
  std::uint64_t position() const override { return file_->source.position(); }
  std::string hash() const override { return parser_.hash(); }
  std::optional<Error> change() const override { return file_->change(); }

 private:
  std::unique_ptr<OpenInput> file_;
  SequenceParser parser_;
};

// Refuses CRAM in gzip. A whole container is held in memory: a container in a plain file is not
// longer than the file, but in a compressed file it could have any size.
void refuse_compressed_cram(const OpenInput& file) {
  if (!file.source.compressed()) return;
  throw Error(ErrorKind::kInputFormat, Place{.file = file.name, .record = 1, .offset = 0},
              "CRAM within gzip cannot be read. Unpack it: gzip -dc FILE | virnucpro predict -");
}

std::unique_ptr<AlignmentReader> make_reader(OpenInput& file, Qualities qualities,
                                             ReferenceIndex& reference, const Cancel& cancel) {
  file.source.require_end_marker();
  switch (*file.alignments) {
    case AlignmentFormat::kSam:
      return std::make_unique<SamReader>(file.text, file.name, qualities);
    case AlignmentFormat::kCram:
      if (qualities == Qualities::kKeep) {
        throw Error(ErrorKind::kNoQualities, Place{.file = file.name},
                    "qualities are not read from CRAM: convert it to BAM (samtools view -b)");
      }
      refuse_compressed_cram(file);
      return std::make_unique<CramReader>(file.text, file.name, reference, cancel);
    case AlignmentFormat::kBam:
      break;
  }
  refuse_uncompressed(file);
  return std::make_unique<BamReader>(file.text, file.name, qualities);
}

// One of two mates; the next read may be the other mate. `mate` is 0 for a read that is not a mate.
struct LoneMate {
  unsigned mate = 0;
  std::string name{};  // without /1 or /2
};

LoneMate lone_mate(const InputRecord& read) {
  if (read.record.mate == 0) return {};
  return {.mate = read.record.mate, .name = read.id.substr(0, read.id.size() - 2)};
}

// True if the two reads are mates, in either order.
bool are_mates(const LoneMate& one, const LoneMate& other) {
  return one.mate + other.mate == 3 && one.mate != 0 && other.mate != 0 && one.name == other.name;
}

class AlignmentStream : public RecordStream {
 public:
  AlignmentStream(std::unique_ptr<OpenInput> file, const InputSettings& settings,
                  ReferenceIndex& reference, const Cancel& cancel)
      : file_(std::move(file)),
        reference_(reference),
        reader_(make_reader(*file_, qualities_of(settings), reference, cancel)) {}

  std::optional<InputRecord> next() override {
    std::optional<SequenceRecord> record = reader_->next();
    if (!record) return std::nullopt;
    InputRecord next{.input = 0, .id = record->header, .record = *std::move(record)};
    LoneMate mate = lone_mate(next);
    next.with_previous = are_mates(mate, alone_);
    alone_ = next.with_previous ? LoneMate() : std::move(mate);
    return next;
  }
  std::uint64_t bytes() const override { return reader_->bytes(); }
  std::uint64_t position() const override { return file_->source.position(); }
  std::string hash() const override { return reader_->hash(); }
  SkippedAlignments skipped() const override { return reader_->skipped(); }
  std::optional<Error> change() const override {
    std::optional<Error> found = file_->change();
    return found || file_->alignments != AlignmentFormat::kCram ? found : reference_.change();
  }

 private:
  std::unique_ptr<OpenInput> file_;
  const ReferenceIndex& reference_;
  std::unique_ptr<AlignmentReader> reader_;
  LoneMate alone_;  // the previous read, if its mate may follow
};

class PairedStream : public RecordStream {
 public:
  PairedStream(const std::string& first, const std::string& second, Qualities qualities,
               const Cancel& cancel)
      : first_(first, qualities, cancel), second_(second, qualities, cancel) {}

  std::optional<InputRecord> next() override {
    if (mate_) return std::exchange(mate_, std::nullopt);
    std::optional<SequenceRecord> first = first_.parser.next();
    std::optional<SequenceRecord> second = second_.parser.next();
    if (!first) settle_end(*first_.file, first_.parser);
    if (!second) settle_end(*second_.file, second_.parser);
    if (!first && !second) return std::nullopt;
    if (!first) fail_short(first_, second_);
    if (!second) fail_short(second_, first_);
    return pair(*std::move(first), *std::move(second));
  }
  std::uint64_t bytes() const override { return first_.parser.bytes() + second_.parser.bytes(); }
  std::uint64_t position() const override {
    return first_.file->source.position() + second_.file->source.position();
  }
  std::string hash() const override {
    ContentHash both;
    both.update(as_bytes(first_.parser.hash()));
    both.update(as_bytes(second_.parser.hash()));
    return both.hex();
  }
  std::optional<Error> change() const override {
    std::optional<Error> found = first_.file->change();
    return found ? found : second_.file->change();
  }

 private:
  struct Mates {
    Mates(const std::string& path, Qualities qualities, const Cancel& cancel)
        : file(open_input(path, cancel)),
          parser(file->text, file->name, {}, TextFormats::kFastqOnly, qualities) {
      if (!file->alignments) return;
      throw Error(ErrorKind::kUsage, Place{.file = file->name},
                  fmt::format("this file is {}, which already names the mates: leave --paired out",
                              name_of(*file->alignments)));
    }

    const std::string& name() const { return file->name; }

    std::unique_ptr<OpenInput> file;
    SequenceParser parser;
  };

  [[noreturn]] static void fail_short(const Mates& ended, const Mates& other) {
    throw Error(ErrorKind::kInputTruncated,
                Place{.file = ended.name(),
                      .record = ended.parser.records() + 1,
                      .offset = ended.parser.bytes()},
                fmt::format("{} has more reads, so the two files are not a pair", other.name()));
  }

  // Returns the first mate and keeps the second for the next call.
  InputRecord pair(SequenceRecord first, SequenceRecord second) {
    const std::string base = names_.shared(first.header, second.header, first_.name(),
                                           {.file = second_.name(),
                                            .record = second.number,
                                            .offset = second_.parser.record_offset()});
    second.number *= 2;
    first.number = second.number - 1;
    first.mate = 1;
    second.mate = 2;
    mate_ = InputRecord{
        .input = 0, .id = base + "/2", .record = std::move(second), .with_previous = true};
    return {.input = 0, .id = base + "/1", .record = std::move(first)};
  }

  Mates first_;
  Mates second_;
  PairNames names_;
  std::optional<InputRecord> mate_;
};

std::unique_ptr<RecordStream> open_single(const std::string& path, const InputSettings& settings,
                                          ReferenceIndex& reference, const Cancel& cancel) {
  std::unique_ptr<OpenInput> file = open_input(path, cancel);
  if (file->alignments) {
    if (settings.proteins) {
      throw Error(ErrorKind::kUsage, Place{.file = file->name},
                  fmt::format("this file is {}, which holds no proteins: give FASTA",
                              name_of(*file->alignments)));
    }
    return std::make_unique<AlignmentStream>(std::move(file), settings, reference, cancel);
  }
  return std::make_unique<TextStream>(std::move(file), settings);
}

// Returns the size in bytes; empty if `path` is not a regular file or cannot be examined.
std::optional<std::uint64_t> size_of(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? std::nullopt : std::optional<std::uint64_t>(size);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // opening the file will report the error
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

void check_mates(const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i + 1 < paths.size(); i += 2) {
    if (!is_same_file(paths[i], paths[i + 1])) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--paired: R1 and R2 are the same file, {}", display_name(paths[i])));
  }
}

std::size_t files_each(const InputSettings& settings) {
  return settings.paired ? 2 : 1;
}

}  // namespace

void require_usable(const InputSettings& settings) {
  if (settings.paired && settings.paths.size() % 2 != 0) {
    throw Error(ErrorKind::kUsage, "--paired needs an even number of files: R1 R2 R1 R2 …");
  }
  if (std::count(settings.paths.begin(), settings.paths.end(), "-") > 1) {
    throw Error(ErrorKind::kUsage, "stdin (-) can be read only once");
  }
  if (settings.paired) check_mates(settings.paths);
}

std::vector<std::string> input_names(const InputSettings& settings) {
  const std::size_t step = files_each(settings);
  std::vector<std::string> names;
  for (std::size_t i = 0; i + step <= settings.paths.size(); i += step) {
    const std::string name = display_name(settings.paths[i]);
    names.push_back(
        settings.paired ? fmt::format("{}+{}", name, display_name(settings.paths[i + 1])) : name);
  }
  return names;
}

struct InputSet::State {
  // Limits of the records that are held back for the check for RNA: their number and their bytes.
  static constexpr std::size_t kMostAhead = 20'000;
  static constexpr std::uint64_t kMostBytesAhead = 16U << 20U;

  State(InputSettings given, const Cancel& cancelled)
      : settings(std::move(given)), cancel(cancelled), reference(settings.reference) {
    require_usable(settings);
    names = input_names(settings);
    for (std::size_t i = 0; i < settings.paths.size(); ++i) {
      const std::optional<std::uint64_t> size = size_of(settings.paths[i]);
      sized = sized && size;
      if (i % files_each(settings) == 0) sizes.push_back(0);
      sizes.back() += size.value_or(0);
    }
    if (sized) total = std::accumulate(sizes.begin(), sizes.end(), total);
  }

  // Returns the bytes read of the current input, at most its size at the start: a file may grow.
  std::uint64_t position() const {
    if (!stream) return 0;
    const std::uint64_t read = ahead.empty() ? stream->position() : returned_up_to;
    return sized ? std::min(read, sizes[current]) : read;
  }

  std::unique_ptr<RecordStream> open() {
    if (!settings.paired) {
      return open_single(settings.paths[current], settings, reference, cancel);
    }
    const std::size_t first = std::size_t{2} * current;
    return std::make_unique<PairedStream>(settings.paths[first], settings.paths[first + 1],
                                          qualities_of(settings), cancel);
  }

  // Returns the next record of the current input, or an InputEnd after the last one.
  InputEvent read() {
    if (!stream) stream = open();
    if (settings.refuse_rna && sized) hold_back();
    if (std::optional<InputRecord> record = next_record()) return *std::move(record);
    return InputEnd{.input = current,
                    .records = records,
                    .bytes = stream->bytes(),
                    .hash = stream->hash(),
                    .skipped = stream->skipped()};
  }

  std::optional<InputRecord> next_record() {
    if (ahead.empty()) return at_end ? std::nullopt : read_record();
    InputRecord record = std::move(ahead.front().record);
    returned_up_to = ahead.front().position;
    ahead.pop_front();
    ahead_bytes -= bytes_of(record);
    return record;
  }

  // Replaces the header by the id: headers may be long, and many records are in memory at once.
  static void shorten(InputRecord& record) {
    if (record.record.header.size() > record.id.size()) record.record.header = record.id;
  }

  static std::uint64_t bytes_of(const InputRecord& record) {
    return record.record.letters.size() + record.record.qualities.size() +
           record.record.header.size();
  }

  std::optional<InputRecord> read_record() {
    std::optional<InputRecord> record = stream->next();
    at_end = !record;
    if (!record) {
      judge_rna(nullptr);
      return std::nullopt;
    }
    record->input = current;
    if (settings.headers == Headers::kIdAlone) shorten(*record);
    require_short_id(*record);
    if (settings.qualities) require_qualities(*record);
    ++records;
    judge_rna(&*record);
    return record;
  }

  // Holds records back until it is known whether the input is RNA, so that no record of RNA is
  // scored. If some input is a pipe, which may be slow, no records are held back. If RNA is found
  // in such a run, or beyond the limits above, the caller discards the input's records.
  void hold_back() {
    while (!judged && ahead.size() < kMostAhead && ahead_bytes < kMostBytesAhead) {
      std::optional<InputRecord> record = read_record();
      if (!record) return;
      ahead_bytes += bytes_of(*record);
      ahead.push_back({*std::move(record), stream->position()});
    }
  }

  // Adds the next record to the check, and throws if the input is RNA. `record` is null at the end.
  void judge_rna(const InputRecord* record) {
    if (!settings.refuse_rna || judged) return;
    if (record != nullptr) judge.add(record->record.letters);
    judged = record == nullptr || judge.is_settled();
    const std::optional<Error> error = judged ? judge.verdict() : std::nullopt;
    if (error) throw Error(error->kind(), Place{.file = names[current]}, error->detail());
  }

  std::optional<Error> change() const { return stream ? stream->change() : std::nullopt; }

  void require_short_id(const InputRecord& record) const {
    if (record.id.size() <= settings.longest_id) return;
    throw Error(
        ErrorKind::kInputMalformed, Place{.file = names[current], .record = record.record.number},
        fmt::format("the id has {} bytes; the limit is {}: shorten the id, or allow more with "
                    "--max-id-length (each row of the tables repeats the id)",
                    record.id.size(), settings.longest_id));
  }

  // Throws if the read has no qualities. The command is at fault, so the error ends the run.
  void require_qualities(const InputRecord& record) const {
    const SequenceRecord& read = record.record;
    if (read.qualities.size() == read.letters.size() && all_graphic(read.qualities)) return;
    throw Error(ErrorKind::kNoQualities, Place{.file = names[current], .record = read.number}, "");
  }

  void go_on() {
    taken += sized ? sizes[current] : position();
    stream.reset();
    records = 0;
    ahead.clear();
    ahead_bytes = 0;
    returned_up_to = 0;
    at_end = false;
    judge = {};
    judged = false;
    ++current;
  }

  InputSettings settings;
  const Cancel& cancel;
  ReferenceIndex reference;  // used by all CRAM inputs; the first one prepares it
  std::vector<std::string> names;
  std::vector<std::uint64_t> sizes;  // each input's size in bytes
  bool sized = true;                 // all sizes are known
  std::uint64_t total = 0;           // sum of `sizes`; 0 if not `sized`
  std::uint64_t taken = 0;           // bytes of the inputs before the current one
  std::uint32_t current = 0;
  std::uint64_t records = 0;  // records of the current input that were read
  struct Held {
    InputRecord record;
    std::uint64_t position;  // position of the stream after this record
  };
  std::deque<Held> ahead;            // records read, but not returned yet
  std::uint64_t ahead_bytes = 0;     // bytes of the records in `ahead`
  std::uint64_t returned_up_to = 0;  // position of the last record returned from `ahead`
  bool at_end = false;               // true at the current input's end
  RnaJudge judge;                    // judges the current input
  bool judged = false;
  std::unique_ptr<RecordStream> stream;
};

std::string header_with_id(const InputRecord& record) {
  const std::string& header = record.record.header;
  const std::string_view name = sequence_id(header);
  if (name == record.id) return header;
  const auto begin = static_cast<std::size_t>(name.data() - header.data());
  return header.substr(0, begin) + record.id + header.substr(begin + name.size());
}

InputSet::InputSet(InputSettings settings, const Cancel& cancel)
    : state_(std::make_unique<State>(std::move(settings), cancel)) {}

InputSet::~InputSet() = default;

std::size_t InputSet::size() const {
  return state_->names.size();
}

const std::string& InputSet::name(std::uint32_t input) const {
  return state_->names.at(input);
}

std::uint64_t InputSet::total_bytes() const {
  return state_->total;
}

std::uint64_t InputSet::bytes_read() const {
  return state_->taken + state_->position();
}

std::optional<InputEvent> InputSet::next() {
  State& state = *state_;
  state.cancel.check();
  if (state.current == state.names.size()) return std::nullopt;
  try {
    InputEvent event = state.read();
    if (std::holds_alternative<InputEnd>(event)) state.go_on();
    return event;
  } catch (const Error& error) {
    state.cancel.check();  // throws if the read was cancelled: the input is not at fault
    if (!error.is(ErrorClass::kOneInput)) throw;
    InputFailure failure{.input = state.current,
                         .records = state.records,
                         .error = explained(error, state.change())};
    state.go_on();
    return failure;
  }
}

}  // namespace virnucpro

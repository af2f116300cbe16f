#include "sequence/input_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/hash.hpp"
#include "sequence/bam_reader.hpp"
#include "sequence/cram_reader.hpp"
#include "sequence/file_source.hpp"
#include "sequence/sam_reader.hpp"
#include "sequence/sequence_parser.hpp"
#include "sequence/started_source.hpp"

namespace virnucpro {
namespace {

std::string_view without_suffix(std::string_view id, std::string_view suffix) {
  if (id.ends_with(suffix)) id.remove_suffix(suffix.size());
  return id;
}

// An open file whose first bytes were read.
struct OpenFile {
  OpenFile(const std::string& path, const Cancel& cancel)
      : name(display_name(path)),
        source(path, cancel),
        text(source),
        alignments(alignment_format(text.start())) {}

  // kInputChanged if the file has changed since it was opened; empty otherwise.
  std::optional<Error> change() const {
    const std::optional<std::string> changed = source.change();
    if (!changed) return std::nullopt;
    return Error(ErrorKind::kInputChanged, Place{.file = name}, *changed);
  }

  std::string name;
  FileSource source;
  StartedSource text;
  std::optional<AlignmentFormat> alignments;  // empty: FASTA, FASTQ or unknown
};

// Adds the file's name to an error in opening it.
std::unique_ptr<OpenFile> open_file(const std::string& path, const Cancel& cancel) {
  try {
    return std::make_unique<OpenFile>(path, cancel);
  } catch (const Error& error) {
    throw Error(error.kind(), Place{.file = display_name(path)}, error.detail());
  }
}

// The records of one input.
class RecordStream {
 public:
  RecordStream() = default;
  virtual ~RecordStream() = default;
  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;

  virtual std::optional<InputRecord> next() = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual std::uint64_t position() const = 0;  // in the input's files
  virtual std::string hash() const = 0;
  virtual SkippedAlignments skipped() const { return {}; }
  // kInputChanged if a file has changed while it was read; empty otherwise.
  virtual std::optional<Error> change() const = 0;
};

class TextStream : public RecordStream {
 public:
  explicit TextStream(std::unique_ptr<OpenFile> file)
      : file_(std::move(file)), parser_(file_->text, file_->name) {}

  std::optional<InputRecord> next() override {
    std::optional<SequenceRecord> record = parser_.next();
    if (!record) return std::nullopt;
    std::string id(sequence_id(record->header));
    return InputRecord{.input = 0, .id = std::move(id), .record = *std::move(record)};
  }
  std::uint64_t bytes() const override { return parser_.bytes(); }
  std::uint64_t position() const override { return file_->source.position(); }
  std::string hash() const override { return parser_.hash(); }
  std::optional<Error> change() const override { return file_->change(); }

 private:
  std::unique_ptr<OpenFile> file_;
  SequenceParser parser_;
};

// A container is held whole in memory. In a plain file it is no longer than the file, but a
// compressed file could be a bomb that asks for any amount.
void refuse_compressed_cram(const OpenFile& file) {
  if (!file.source.compressed()) return;
  throw Error(ErrorKind::kInputFormat, Place{.file = file.name, .record = 1, .offset = 0},
              "CRAM within gzip is not read: gzip -dc FILE | virnucpro predict -");
}

std::unique_ptr<AlignmentReader> make_reader(OpenFile& file, ReferenceIndex& reference,
                                             const Cancel& cancel) {
  switch (*file.alignments) {
    case AlignmentFormat::kSam:
      return std::make_unique<SamReader>(file.text, file.name);
    case AlignmentFormat::kCram:
      refuse_compressed_cram(file);
      return std::make_unique<CramReader>(file.text, file.name, reference, cancel);
    case AlignmentFormat::kBam:
      break;
  }
  if (!file.source.compressed()) {
    throw Error(ErrorKind::kInputFormat, Place{.file = file.name, .record = 1, .offset = 0},
                "the BAM is not compressed, so that a cut could not be told from its end: "
                "samtools view -b FILE | virnucpro predict -");
  }
  return std::make_unique<BamReader>(file.text, file.name);
}

class AlignmentStream : public RecordStream {
 public:
  AlignmentStream(std::unique_ptr<OpenFile> file, ReferenceIndex& reference, const Cancel& cancel)
      : file_(std::move(file)),
        reference_(reference),
        reader_(make_reader(*file_, reference, cancel)) {}

  std::optional<InputRecord> next() override {
    std::optional<SequenceRecord> record = reader_->next();
    if (!record) return std::nullopt;
    std::string id = record->header;
    return InputRecord{.input = 0, .id = std::move(id), .record = *std::move(record)};
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
  std::unique_ptr<OpenFile> file_;
  const ReferenceIndex& reference_;
  std::unique_ptr<AlignmentReader> reader_;
};

class PairedStream : public RecordStream {
 public:
  PairedStream(const std::string& first, const std::string& second, const Cancel& cancel)
      : first_(first, cancel), second_(second, cancel) {}

  std::optional<InputRecord> next() override {
    if (mate_) return std::exchange(mate_, std::nullopt);
    std::optional<SequenceRecord> first = first_.parser.next();
    std::optional<SequenceRecord> second = second_.parser.next();
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
    Mates(const std::string& path, const Cancel& cancel)
        : file(open_file(path, cancel)),
          parser(file->text, file->name, {}, TextFormats::kFastqOnly) {
      if (!file->alignments) return;
      throw Error(ErrorKind::kUsage, Place{.file = file->name},
                  fmt::format("it is {}, whose flags tell mates apart: leave --paired out",
                              name_of(*file->alignments)));
    }

    const std::string& name() const { return file->name; }

    std::unique_ptr<OpenFile> file;
    SequenceParser parser;
  };

  [[noreturn]] static void fail_short(const Mates& ended, const Mates& other) {
    throw Error(ErrorKind::kInputTruncated,
                Place{.file = ended.name(),
                      .record = ended.parser.records() + 1,
                      .offset = ended.parser.bytes()},
                fmt::format("{} holds more reads: they are not a pair", other.name()));
  }

  // Returns the first mate and keeps the second for the next call.
  InputRecord pair(SequenceRecord first, SequenceRecord second) {
    const std::string base(without_suffix(sequence_id(first.header), "/1"));
    const std::string_view mate_id = sequence_id(second.header);
    if (without_suffix(mate_id, "/2") != base) {
      throw Error(ErrorKind::kInputMalformed,
                  Place{.file = second_.name(),
                        .record = second.number,
                        .offset = second_.parser.record_offset()},
                  fmt::format("read {} stands where {} has {}: they are not a pair", mate_id,
                              first_.name(), sequence_id(first.header)));
    }
    second.number *= 2;
    first.number = second.number - 1;
    mate_ = InputRecord{.input = 0, .id = base + "/2", .record = std::move(second)};
    return {.input = 0, .id = base + "/1", .record = std::move(first)};
  }

  Mates first_;
  Mates second_;
  std::optional<InputRecord> mate_;
};

std::unique_ptr<RecordStream> open_single(const std::string& path, bool proteins,
                                          ReferenceIndex& reference, const Cancel& cancel) {
  std::unique_ptr<OpenFile> file = open_file(path, cancel);
  if (file->alignments) {
    if (proteins) {
      throw Error(ErrorKind::kUsage, Place{.file = file->name},
                  fmt::format("it is {}, which holds no proteins", name_of(*file->alignments)));
    }
    return std::make_unique<AlignmentStream>(std::move(file), reference, cancel);
  }
  return std::make_unique<TextStream>(std::move(file));
}

// Empty if it is not a regular file or cannot be looked at.
std::optional<std::uint64_t> size_of(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? std::nullopt : std::optional<std::uint64_t>(size);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // what cannot be looked at fails when it is opened
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

void check_mates(const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i + 1 < paths.size(); i += 2) {
    if (!is_same_file(paths[i], paths[i + 1])) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--paired: R1 and R2 are the same file, {}", display_name(paths[i])));
  }
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

struct InputSet::State {
  State(InputSettings given, const Cancel& cancelled)
      : settings(std::move(given)), cancel(cancelled), reference(settings.reference) {
    require_usable(settings);
    const std::size_t step = settings.paired ? 2 : 1;
    for (std::size_t i = 0; i < settings.paths.size(); i += step) {
      const std::string name = display_name(settings.paths[i]);
      names.push_back(
          settings.paired ? fmt::format("{}+{}", name, display_name(settings.paths[i + 1])) : name);
    }
    for (std::size_t i = 0; i < settings.paths.size(); ++i) {
      const std::optional<std::uint64_t> size = size_of(settings.paths[i]);
      sized = sized && size;
      if (i % step == 0) sizes.push_back(0);
      sizes.back() += size.value_or(0);
    }
    if (sized) total = std::accumulate(sizes.begin(), sizes.end(), total);
  }

  // In the current input. If a file grows, its first size counts.
  std::uint64_t position() const {
    if (!stream) return 0;
    return sized ? std::min(stream->position(), sizes[current]) : stream->position();
  }

  std::unique_ptr<RecordStream> open() {
    if (!settings.paired) {
      return open_single(settings.paths[current], settings.proteins, reference, cancel);
    }
    const std::size_t first = std::size_t{2} * current;
    return std::make_unique<PairedStream>(settings.paths[first], settings.paths[first + 1], cancel);
  }

  // The next record of the current input, or its end.
  InputEvent read() {
    if (!stream) stream = open();
    if (std::optional<InputRecord> record = stream->next()) {
      record->input = current;
      require_short_id(*record);
      ++records;
      return *std::move(record);
    }
    return InputEnd{.input = current,
                    .records = records,
                    .bytes = stream->bytes(),
                    .hash = stream->hash(),
                    .skipped = stream->skipped()};
  }

  // What looks like damage may come from a file that changes while it is read.
  Error explained(const Error& error) const {
    const std::optional<Error> change = stream ? stream->change() : std::nullopt;
    if (!change) return error;
    const bool is_same_file = change->place().file == error.place().file;
    return is_same_file ? Error(change->kind(), error.place(), change->detail()) : *change;
  }

  void require_short_id(const InputRecord& record) const {
    if (record.id.size() <= settings.longest_id) return;
    throw Error(ErrorKind::kInputMalformed,
                Place{.file = names[current], .record = record.record.number},
                fmt::format("its id has {} bytes, and may have {}: shorten it, as each row of the "
                            "tables repeats it, or allow it with --max-id-length",
                            record.id.size(), settings.longest_id));
  }

  void go_on() {
    taken += sized ? sizes[current] : position();
    stream.reset();
    records = 0;
    ++current;
  }

  InputSettings settings;
  const Cancel& cancel;
  ReferenceIndex reference;  // for all CRAM inputs; prepared for the first one
  std::vector<std::string> names;
  std::vector<std::uint64_t> sizes;  // of the files of each input
  bool sized = true;                 // all sizes are known
  std::uint64_t total = 0;           // of all inputs, if sized
  std::uint64_t taken = 0;           // bytes of the inputs before the current one
  std::uint32_t current = 0;
  std::uint64_t records = 0;  // records of the current input that were returned
  std::unique_ptr<RecordStream> stream;
};

std::string display_name(const std::string& path) {
  if (path.empty()) return "\"\"";
  return path == "-" ? "stdin" : path;
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
    state.cancel.check();  // a cancelled read fails, too
    if (!is_of_an_input(error.kind())) throw;
    InputFailure failure{
        .input = state.current, .records = state.records, .error = state.explained(error)};
    state.go_on();
    return failure;
  }
}

}  // namespace virnucpro

#include "measure/compare/compare_outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "journal/kept_run.hpp"
#include "journal/run_files.hpp"
#include "measure/compare/embedding_parts.hpp"
#include "measure/compare/embedding_reader.hpp"
#include "measure/compare/score_table.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBeginning = 8;  // bytes, enough to recognise a file's format

[[noreturn]] void fail(const fs::path& file, std::string detail) {
  throw Error(ErrorKind::kNotComparable, Place{.file = file.string()}, std::move(detail));
}

// --- kinds of A and B ----------------------------------------------------------------------------

enum class Content : std::uint8_t { kTable, kHdf5, kTorch };

Content content_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    fail(path, "it is neither a directory nor a regular file");
  }
  const std::string beginning = beginning_of(path, kBeginning);
  if (is_hdf5(beginning)) return Content::kHdf5;
  if (is_torch_zip(beginning)) return Content::kTorch;
  return Content::kTable;
}

// The embeddings in A or in B: one reader for all datasets, or one reader per dataset.
struct Embeddings {
  fs::path path;  // the path shown in errors
  std::vector<std::unique_ptr<EmbeddingReader>> readers{};
};

Embeddings open_file(const fs::path& path, Content content, const Cancel& cancel) {
  Embeddings embeddings{.path = path};
  embeddings.readers.push_back(content == Content::kTorch ? open_torch_embeddings(path)
                                                          : open_hdf5_embeddings(path, cancel));
  return embeddings;
}

// The contents of an output directory.
struct OutputFolder {
  static constexpr std::array<std::string_view, 3> kTables{
      run_files::kFrameTable.name, run_files::kConsensusTable.name, run_files::kSequenceTable.name};
  static constexpr std::string_view kHdf5 = run_files::kEmbeddings.name;

  fs::path path{};
  std::array<std::optional<fs::path>, kTables.size()> tables{};
  bool has_hdf5 = false;
  OriginalEmbeddings original{};  // used only if there is no embeddings.h5

  bool has_embeddings() const { return has_hdf5 || !original.datasets.empty(); }
};

Embeddings open_embeddings(const OutputFolder& directory, const Cancel& cancel) {
  if (directory.has_hdf5) {
    return open_file(directory.path / OutputFolder::kHdf5, Content::kHdf5, cancel);
  }
  Embeddings embeddings{.path = directory.path};
  for (const EmbeddingParts& parts : directory.original.datasets) {
    embeddings.readers.push_back(open_embedding_parts(parts));
  }
  return embeddings;
}

// Returns the folder of the original's two tables: <stem>_merged, or the directory itself.
fs::path folder_of_tables(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> found;
  for (auto entry = fs::directory_iterator(directory, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const bool is_merged = run_files::kTableFolder.matches(entry->path().filename().string());
    if (is_merged && fs::exists(entry->path() / OutputFolder::kTables[0], error)) {
      found.push_back(entry->path());
    }
  }
  if (error) {
    throw Error(kind_of_failure(error.value(), ErrorKind::kNotComparable),
                Place{.file = directory.string()}, error.message());
  }
  if (found.size() > 1) {
    std::sort(found.begin(), found.end());
    fail(directory, fmt::format("it holds several runs, {} and {}; give one of these folders",
                                found[0].filename().string(), found[1].filename().string()));
  }
  return found.empty() ? directory : found.front();
}

OutputFolder look_into(const fs::path& directory) {
  const fs::path of_tables = folder_of_tables(directory);
  OutputFolder result{.path = directory};
  std::error_code absent;
  for (std::size_t k = 0; k < OutputFolder::kTables.size(); ++k) {
    const fs::path file = (k < 2 ? of_tables : directory) / OutputFolder::kTables[k];
    if (fs::exists(file, absent)) result.tables[k] = file;
  }
  result.has_hdf5 = fs::exists(directory / OutputFolder::kHdf5, absent);
  if (!result.has_hdf5) result.original = find_original_embeddings(directory);
  const bool has_table = std::any_of(result.tables.begin(), result.tables.end(),
                                     [](const auto& file) { return file.has_value(); });
  if (!has_table && !result.has_embeddings()) {
    fail(directory, "it holds no table and no embeddings of a finished run");
  }
  return result;
}

constexpr const char* kPrecisionOfV2 = "fp16";

// Returns the precision that a run's journal names. If there is none, warns and assumes fp16: the
// results may be v2's, and v2 computes in fp16 by default.
std::string precision_of(const fs::path& run, const Cancel& cancel) {
  try {
    return KeptRun(run, cancel, Journal::Check::kHead).value("precision");
  } catch (const Error&) {
    cancel.check();
    log_warning("{}: no journal names the run's precision, so {} is assumed",
                printable(run.string()), kPrecisionOfV2);
    return kPrecisionOfV2;
  }
}

// --- tables --------------------------------------------------------------------------------------

// Returns the distance between the two scores that decide a label; empty if the table lacks the
// scores. The two scores of a sequence are its mean score and 1 minus its mean score.
std::optional<double> margin_of(const TableLayout& layout,
                                const std::vector<std::string_view>& fields) {
  const bool is_sequence = layout.kind == TableKind::kSequences;
  if (!is_sequence && fields.size() < 3) return std::nullopt;
  const auto first = score_value(is_sequence ? fields[6] : fields[1]);
  const auto second = is_sequence ? std::optional(1.0) : score_value(fields[2]);
  if (!first || !second) return std::nullopt;
  return is_sequence ? std::abs(2 * *first - 1) : std::abs(*first - *second);
}

class TableComparer {
 public:
  TableComparer(std::string name, const fs::path& a, const fs::path& b,
                const CompareSettings& settings)
      : a_(a), b_(b), counter_(std::move(name), settings.tolerance, settings.named) {
    const TableLayout& in_a = a_.layout();
    const TableLayout& in_b = b_.layout();
    if (in_a.kind != in_b.kind) {
      fail(b, fmt::format("it is a table of {}, but {} is a table of {}", name_of(in_b.kind),
                          a.string(), name_of(in_a.kind)));
    }
    // Compares the columns of the shorter table. The longer table always begins with them.
    columns_ = std::min(in_a.columns.size(), in_b.columns.size());
    tell_alone(in_a, "A");
    tell_alone(in_b, "B");
  }

  DatasetComparison compare(const Cancel& cancel) {
    const RowVisitor visitor{.both = [this](const IdRow& a, const IdRow& b) { compare_rows(a, b); },
                             .only_a = [this](const IdRow& row) { counter_.only_a(row); },
                             .only_b = [this](const IdRow& row) { counter_.only_b(row); }};
    const RowCounts rows = match_rows(a_, b_, visitor, cancel);
    return counter_.finish(rows);
  }

 private:
  void tell_alone(const TableLayout& layout, std::string_view file) {
    std::vector<std::string_view> names;
    for (const TableColumn& column : layout.columns.subspan(columns_)) names.push_back(column.name);
    if (names.empty()) return;
    counter_.remark(
        fmt::format("columns in {} alone, not compared: {}", file, fmt::join(names, ", ")));
  }

  void compare_rows(const IdRow& a, const IdRow& b) {
    const std::vector<std::string_view> in_a = split_list(a.content, '\t');
    const std::vector<std::string_view> in_b = split_list(b.content, '\t');
    counter_.begin_row(a, b);
    for (std::size_t k = 0; k < columns_; ++k) {
      const TableColumn& column = a_.layout().columns[k];
      const ColumnName name{.name = column.name};
      if (column.role == ColumnRole::kLabel) {
        counter_.label(name, in_a[k], in_b[k], margin(in_a, in_b));
        continue;
      }
      const bool is_text = column.role == ColumnRole::kText;
      const auto x = is_text ? std::nullopt : score_value(in_a[k]);
      const auto y = is_text ? std::nullopt : score_value(in_b[k]);
      if (x && y) {
        counter_.number(name, *x, *y, in_a[k] == in_b[k]);
      } else {
        counter_.text(name, in_a[k], in_b[k]);
      }
    }
    counter_.end_row();
  }

  // Returns the margin in A. If A has no scores, like the original's consensus, returns B's.
  std::optional<double> margin(const std::vector<std::string_view>& in_a,
                               const std::vector<std::string_view>& in_b) const {
    return in_a.size() < in_b.size() ? margin_of(b_.layout(), in_b) : margin_of(a_.layout(), in_a);
  }

  ScoreTable a_;
  ScoreTable b_;
  DatasetCounter counter_;
  std::size_t columns_ = 0;  // number of columns that both tables have
};

// --- embeddings ----------------------------------------------------------------------------------

class IdSource : public RowSource {
 public:
  explicit IdSource(EmbeddingReader& reader) : reader_(reader) {}

  std::optional<IdRow> next() override {
    if (at_ == reader_.rows()) return std::nullopt;
    IdRow row{.id = reader_.id(at_)};
    row.number = ++at_;
    return row;
  }

 private:
  EmbeddingReader& reader_;
  std::uint64_t at_ = 0;
};

std::optional<std::size_t> place_in(const EmbeddingReader& reader, const std::string& name) {
  for (std::size_t k = 0; k < reader.datasets().size(); ++k) {
    if (reader.datasets()[k].name == name) return k;
  }
  return std::nullopt;
}

// Returns the names of the datasets that are in `one` and not in `other`.
std::vector<std::string> lacking(const Embeddings& one, const Embeddings& other) {
  std::vector<std::string> names;
  for (const auto& reader : one.readers) {
    for (const EmbeddingDataset& dataset : reader->datasets()) {
      const bool is_there = std::ranges::any_of(other.readers, [&dataset](const auto& theirs) {
        return place_in(*theirs, dataset.name).has_value();
      });
      if (!is_there) names.push_back(dataset.name);
    }
  }
  return names;
}

// Returns the cosine of two embeddings; empty if a number is not finite.
std::optional<double> cosine_of(const std::vector<double>& a, const std::vector<double>& b) {
  double product = 0;
  double length_a = 0;
  double length_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    length_a += a[i] * a[i];
    length_b += b[i] * b[i];
  }
  if (!std::isfinite(length_a) || !std::isfinite(length_b)) return std::nullopt;
  if (length_a == 0 || length_b == 0) return length_a == length_b ? 1 : 0;
  return std::clamp(product / (std::sqrt(length_a) * std::sqrt(length_b)), -1.0, 1.0);
}

// Compares the datasets that two readers have in common.
class EmbeddingComparer {
 public:
  EmbeddingComparer(EmbeddingReader& a, EmbeddingReader& b, const CompareSettings& settings,
                    const fs::path& file_b)
      : a_(a), b_(b) {
    for (std::size_t in_a = 0; in_a < a_.datasets().size(); ++in_a) {
      add_common(in_a, settings, file_b);
    }
  }

  std::vector<DatasetComparison> compare(const Cancel& cancel) {
    if (common_.empty()) return {};
    IdSource a(a_);
    IdSource b(b_);
    const RowVisitor visitor{
        .both = [this](const IdRow& row_a, const IdRow& row_b) { compare_rows(row_a, row_b); },
        .only_a =
            [this](const IdRow& row) {
              for (Common& common : common_) common.counter.only_a(row);
            },
        .only_b =
            [this](const IdRow& row) {
              for (Common& common : common_) common.counter.only_b(row);
            }};
    const RowCounts rows = match_rows(a, b, visitor, cancel);
    std::vector<DatasetComparison> results;
    for (Common& common : common_) results.push_back(common.counter.finish(rows));
    return results;
  }

 private:
  struct Common {
    std::size_t in_a;
    std::size_t in_b;
    DatasetCounter counter;
    std::vector<double> values_a;
    std::vector<double> values_b;
  };

  void add_common(std::size_t in_a, const CompareSettings& settings, const fs::path& file_b) {
    const EmbeddingDataset& dataset = a_.datasets()[in_a];
    const auto in_b = place_in(b_, dataset.name);
    if (!in_b) return;
    const std::size_t width = b_.datasets()[*in_b].width;
    // Requires equal widths, unless a file has no rows.
    const bool has_rows = a_.rows() != 0 && b_.rows() != 0;
    if (width != dataset.width && has_rows) {
      fail(file_b, fmt::format("dataset {} has {} columns, but {} in A", dataset.name, width,
                               dataset.width));
    }
    common_.push_back(
        {.in_a = in_a,
         .in_b = *in_b,
         .counter = {dataset.name, settings.tolerance.of_embeddings(), settings.named},
         .values_a = std::vector<double>(dataset.width),
         .values_b = std::vector<double>(dataset.width)});
  }

  void compare_rows(const IdRow& a, const IdRow& b) {
    for (Common& common : common_) {
      a_.read(common.in_a, a.number - 1, common.values_a);
      b_.read(common.in_b, b.number - 1, common.values_b);
      compare_values(a, b, common);
    }
  }

  static void compare_values(const IdRow& a, const IdRow& b, Common& common) {
    common.counter.begin_row(a, b);
    for (std::size_t i = 0; i < common.values_a.size(); ++i) {
      const double x = common.values_a[i];
      const double y = common.values_b[i];
      const bool same_bits = std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
      common.counter.number({.number = i}, x, y, same_bits);
    }
    const auto cosine = cosine_of(common.values_a, common.values_b);
    if (cosine) common.counter.cosine(*cosine);
    common.counter.end_row();
  }

  EmbeddingReader& a_;
  EmbeddingReader& b_;
  std::vector<Common> common_;
};

// --- the whole comparison ------------------------------------------------------------------------

class Comparer {
 public:
  Comparer(const CompareSettings& settings, const Cancel& cancel)
      : settings_(settings),
        cancel_(cancel),
        result_{.a = settings.a, .b = settings.b, .tolerance = settings.tolerance} {}

  Comparison compare() {
    std::error_code ignored;
    const bool is_directory = fs::is_directory(settings_.a, ignored);
    if (is_directory != fs::is_directory(settings_.b, ignored)) {
      const fs::path& directory = is_directory ? settings_.a : settings_.b;
      const fs::path& other = is_directory ? settings_.b : settings_.a;
      fail(other, fs::exists(other, ignored)
                      ? fmt::format("it is not a directory, but {} is", directory.string())
                      : "there is no such file or directory");
    }
    if (is_directory) {
      compare_directories();
    } else {
      compare_files();
    }
    check_common();
    return std::move(result_);
  }

 private:
  void compare_directories() {
    result_.kind = "directory";
    if (settings_.by_precision) {
      const std::string in_a = precision_of(settings_.a, cancel_);  // A's warning comes first
      const std::string in_b = precision_of(settings_.b, cancel_);
      settings_.tolerance = tolerance_of(in_a, in_b);
      result_.tolerance = settings_.tolerance;
    }
    const OutputFolder a = look_into(settings_.a);
    const OutputFolder b = look_into(settings_.b);
    for (std::size_t k = 0; k < OutputFolder::kTables.size(); ++k) {
      const std::string name(OutputFolder::kTables[k]);
      if (a.tables[k] && b.tables[k]) {
        add_table(name, *a.tables[k], *b.tables[k]);
      } else if (a.tables[k] || b.tables[k]) {
        tell_alone(name, a.tables[k] ? "A" : "B");
      }
    }
    if (a.has_embeddings() && b.has_embeddings()) {
      add_embeddings(open_embeddings(a, cancel_), open_embeddings(b, cancel_));
    } else {
      tell_embeddings(a, "A");
      tell_embeddings(b, "B");
    }
    tell_others(a, "A");
    tell_others(b, "B");
    if (result_.datasets.empty()) {
      fail(settings_.b, fmt::format("it has nothing in common with {}: {}", settings_.a.string(),
                                    fmt::join(result_.remarks, ", ")));
    }
  }

  void tell_alone(std::string_view what, std::string_view side) {
    result_.remarks.push_back(fmt::format("{} is in {} alone", what, side));
  }

  void tell_embeddings(const OutputFolder& directory, std::string_view side) {
    if (directory.has_hdf5) tell_alone(OutputFolder::kHdf5, side);
    for (const EmbeddingParts& parts : directory.original.datasets) {
      tell_alone(parts.dataset, side);
    }
  }

  void tell_others(const OutputFolder& directory, std::string_view side) {
    std::vector<std::string> names;
    for (const fs::path& other : directory.original.others) {
      names.push_back(printable(other.string()));
    }
    if (names.empty()) return;
    result_.remarks.push_back(
        fmt::format(".pt files in {} without the names of embeddings, not compared: {}", side,
                    some_of(names, 1)));
  }

  void compare_files() {
    const Content a = content_of(settings_.a);
    const Content b = content_of(settings_.b);
    if ((a == Content::kTable) != (b == Content::kTable)) {
      const bool a_is_table = a == Content::kTable;
      fail(a_is_table ? settings_.a : settings_.b,
           fmt::format("it holds no embeddings, but {} does",
                       (a_is_table ? settings_.b : settings_.a).string()));
    }
    if (a == Content::kTable) {
      result_.kind = "table";
      add_table("", settings_.a, settings_.b);
    } else {
      result_.kind = "embeddings";
      add_embeddings(open_file(settings_.a, a, cancel_), open_file(settings_.b, b, cancel_));
      if (result_.datasets.empty()) {
        fail(settings_.b, fmt::format("it has no dataset in common with {}: {}",
                                      settings_.a.string(), fmt::join(result_.remarks, ", ")));
      }
    }
  }

  void add_table(std::string name, const fs::path& a, const fs::path& b) {
    if (name.empty()) name = name_of(ScoreTable(a).layout().kind);
    result_.datasets.push_back(TableComparer(std::move(name), a, b, settings_).compare(cancel_));
  }

  void add_embeddings(const Embeddings& a, const Embeddings& b) {
    for (const auto& in_a : a.readers) {
      for (const auto& in_b : b.readers) add_embeddings(*in_a, *in_b, b.path);
    }
    for (const std::string& name : lacking(a, b)) tell_alone(name, "A");
    for (const std::string& name : lacking(b, a)) tell_alone(name, "B");
  }

  void add_embeddings(EmbeddingReader& a, EmbeddingReader& b, const fs::path& path_b) {
    EmbeddingComparer comparer(a, b, settings_, path_b);
    for (DatasetComparison& dataset : comparer.compare(cancel_)) {
      result_.datasets.push_back(std::move(dataset));
    }
  }

  // Throws if A and B have rows, but no row in common.
  void check_common() const {
    const auto has = [this](auto count) {
      return std::any_of(
          result_.datasets.begin(), result_.datasets.end(),
          [&](const DatasetComparison& dataset) { return count(dataset.rows) != 0; });
    };
    if (has([](const RowCounts& rows) { return rows.in_both; })) return;
    if (has([](const RowCounts& rows) { return rows.in_a + rows.in_b; })) {
      fail(settings_.b,
           fmt::format("no row has the id of a row of {}: give two results of the same sequences",
                       settings_.a.string()));
    }
  }

  CompareSettings settings_;
  const Cancel& cancel_;
  Comparison result_;
};

}  // namespace

bool Comparison::equal() const {
  if (tolerance.exact && kind == "directory" && !remarks.empty()) return false;
  return std::all_of(datasets.begin(), datasets.end(),
                     [](const DatasetComparison& dataset) { return dataset.equal(); });
}

Comparison compare(const CompareSettings& settings, const Cancel& cancel) {
  try {
    return Comparer(settings, cancel).compare();
  } catch (const Error& error) {
    if (!error.is(ErrorClass::kFile)) throw;
    Error failure(ErrorKind::kNotComparable, error.place(),
                  error.detail().empty()
                      ? std::string(error.info().summary)
                      : fmt::format("{}: {}", error.info().summary, error.detail()));
    if (error.is(ErrorClass::kGeneralRemedy)) failure.advise(std::string(error.remedy()));
    throw failure;
  }
}

}  // namespace virnucpro

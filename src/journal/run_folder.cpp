#include "journal/run_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "journal/older_run.hpp"
#include "observe/line_file.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kHeader = "virnucpro: the files that its runs wrote here\n";
constexpr std::size_t kLongestRecord = 16U << 20U;

const std::string kRecord(run_files::kOwnFiles.name);

// A path in run.files, relative to the run's directory: "folder/name", "name", or "folder/" for a
// folder.
struct Entry {
  std::string folder;
  std::string name;
};

Entry split(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) return {.folder = {}, .name = path};
  return {.folder = path.substr(0, slash), .name = path.substr(slash + 1)};
}

std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

// True if a run's file or folder can have this path. Other paths in a crafted record are ignored.
bool may_be_listed(const std::string& path) {
  const Entry entry = split(path);
  if (entry.name.find('/') != std::string::npos) return false;
  if (entry.name.empty()) return is_run_folder(entry.folder);
  return is_run_file(entry.folder, entry.name) ||
         is_run_file(entry.folder, AtomicFile::partial_name(entry.name).string());
}

// Escapes '%' and line ends in a name, because the record has one name per line.
std::string escaped(std::string_view name) {
  std::string line;
  for (const char letter : name) {
    if (letter == '%') {
      line += "%25";
    } else if (letter == '\n') {
      line += "%0A";
    } else {
      line += letter;
    }
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string name;
  while (!line.empty()) {
    const bool is_percent = line.starts_with("%25");
    const bool is_code = is_percent || line.starts_with("%0A");
    const char code = is_percent ? '%' : '\n';
    name += is_code ? code : line.front();
    line.remove_prefix(is_code ? 3 : 1);
  }
  return name;
}

}  // namespace

struct RunFolder::State {
  Directory directory;
  std::set<std::string> listed;
  bool is_recorded = false;  // run.files holds all paths in `listed`
  LineFile record;

  explicit State(const Directory& run) : directory(run), record(FilePlace(run, kRecord), kHeader) {
    load();
  }

  // Reads the record, which may be empty if a process was killed just after it made the file.
  void load() {
    const EntryKind kind = directory.kind_of(kRecord);
    const std::string text = kind == EntryKind::kFile ? read() : std::string();
    const bool is_other = kind == EntryKind::kFolder || kind == EntryKind::kOther;
    if (is_other || (!text.empty() && !text.starts_with(kHeader))) {
      throw taken_name(directory.path() / kRecord, "it is not a list of a run's files");
    }
    is_recorded = !text.empty();
    if (!is_recorded) {
      for (const std::string& path : files_proven_by_journal(directory)) {
        if (may_be_listed(path)) listed.insert(path);
      }
      return;
    }
    for (std::size_t at = kHeader.size(); at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string path = unescaped(std::string_view(text).substr(at, end - at));
      if (may_be_listed(path)) listed.insert(path);
      at = end + 1;
    }
  }

  std::string read() const {
    const UniqueFd file = directory.open_file(kRecord);
    if (file.get() < 0) throw write_error(directory.path() / kRecord, errno);
    return read_small_file(file.get(), directory.path() / kRecord, kLongestRecord,
                           ErrorKind::kOutputExists);
  }

  void add(const std::string& path) {
    if (is_recorded && listed.contains(path)) return;
    listed.insert(path);
    std::string lines;
    for (const std::string& known : listed) {
      if (!is_recorded || known == path) lines += escaped(known) + "\n";
    }
    int error = record.append(lines);
    if (error == 0) error = record.sync();
    if (error != 0) throw write_error(record.path(), error);
    is_recorded = true;
  }

  bool owns(const std::string& folder, const std::string& name) const {
    // SQLite's log is not in the record: it belongs to the journal.
    if (folder.empty() && name == run_files::kJournalWal.name) {
      return listed.contains(std::string(run_files::kJournal.name));
    }
    return listed.contains(joined(folder, name)) ||
           listed.contains(joined(folder, complete_name(name)));
  }

  void require_own_or_none(const Directory& in, const std::string& folder,
                           const std::string& name) const {
    if (!is_run_file(folder, name)) return;
    const EntryKind kind = in.kind_of(name);
    if (kind == EntryKind::kNone) return;
    const std::filesystem::path path = in.path() / name;
    // On a file system without locks SQLite makes a folder of this name.
    if (kind == EntryKind::kFolder && folder.empty() && run_files::kJournalLock.matches(name))
      return;
    if (kind != EntryKind::kFile)
      throw taken_name(path, "it has the name of a run's file, but is not a regular file");
    // The file of --log-file is made before the run, so the record may lack it.
    if (!owns(folder, name) && !is_log_file(path))
      throw taken_name(path, "a run needs this name, but no run wrote this file");
  }

  // Checks the files in one folder whose names a run of this stem may use.
  void require_names(const Directory& in, const std::string& folder, std::string_view stem) const {
    for (const std::string& name : in.names()) {
      if (is_run_file_of(stem, folder, name)) require_own_or_none(in, folder, name);
    }
  }

  void add_own(std::vector<OwnFile>& files, const Directory& in, const std::string& folder) const {
    for (const std::string& name : in.names()) {
      if (!is_run_file(folder, name) || !owns(folder, name)) continue;
      if (in.kind_of(name) != EntryKind::kFile) continue;
      files.push_back({.folder = folder, .name = name, .path = in.path() / name});
    }
  }

  // Returns the existing folders that hold listed files.
  std::set<std::string> folders() const {
    std::set<std::string> found;
    for (const std::string& path : listed) {
      const std::string folder = split(path).folder;
      if (!folder.empty() && directory.kind_of(folder) == EntryKind::kFolder) found.insert(folder);
    }
    return found;
  }
};

RunFolder::RunFolder(const Directory& directory) : state_(std::make_shared<State>(directory)) {}

const std::filesystem::path& RunFolder::path() const {
  return state_->directory.path();
}

const Directory& RunFolder::directory() const {
  return state_->directory;
}

FilePlace RunFolder::place(const RunFile& file, std::string_view differing,
                           std::uint64_t number) const {
  const auto [folder, name] = split(file.in({}, differing, number).string());
  Directory in = directory();
  if (!folder.empty()) {
    if (in.kind_of(folder) == EntryKind::kNone) state_->add(folder + "/");
    in = in.make_folder(folder);
  }
  state_->require_own_or_none(in, folder, name);
  state_->require_own_or_none(in, folder, AtomicFile::partial_name(name).string());
  state_->add(joined(folder, name));
  return {in, name};
}

void RunFolder::require_names(std::string_view stem) const {
  state_->require_names(directory(), {}, stem);
  for (const std::string& folder : {run_files::kLog.in({}).parent_path().string(),
                                    run_files::kTableFolder.in({}, stem).string()}) {
    if (directory().kind_of(folder) == EntryKind::kNone) continue;
    state_->require_names(directory().folder(folder), folder, stem);
  }
}

bool RunFolder::has_written(const RunFile& file) const {
  return state_->owns(std::string(file.folder), std::string(file.name));
}

std::vector<RunFolder::OwnFile> RunFolder::own_files() const {
  std::vector<OwnFile> files;
  state_->add_own(files, directory(), {});
  for (const std::string& folder : state_->folders()) {
    state_->add_own(files, directory().folder(folder), folder);
  }
  return files;
}

void RunFolder::remove(const OwnFile& file) const {
  (file.folder.empty() ? directory() : directory().folder(file.folder)).remove(file.name);
}

void RunFolder::remove(const RunFile& file) const {
  const std::string name = file.in({}).string();
  state_->require_own_or_none(directory(), {}, name);
  directory().remove(name);
}

// Removes the journal last: if clearing is interrupted, the run can still be resumed.
void RunFolder::remove_files(bool incomplete) const {
  std::vector<OwnFile> files = own_files();
  std::erase_if(
      files, [incomplete](const OwnFile& file) { return !incomplete && is_incomplete(file.name); });
  std::stable_partition(files.begin(), files.end(),
                        [](const OwnFile& file) { return file.name != run_files::kJournal.name; });
  for (const OwnFile& file : files) remove(file);
  for (const std::string& folder : state_->folders()) {
    if (state_->listed.contains(folder + "/")) directory().remove_folder(folder);
  }
}

void RunFolder::clear_complete() const {
  remove_files(false);
}

void RunFolder::clear() const {
  remove_files(true);
  State& state = *state_;
  directory().remove(kRecord);
  state.listed.clear();
  state.is_recorded = false;
  state.record = LineFile(FilePlace(directory(), kRecord), kHeader);
}

}  // namespace virnucpro

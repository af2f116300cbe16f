#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The publisher of a model. It decides the URLs of its files, and where they go by default.
enum class ModelSource : std::uint8_t { kHuggingFace, kGitHub, kFairEsm, kUrl };
std::string_view name_of(ModelSource source);  // "hugging-face", as in a table

// A file of a published model. A value that is not known is empty.
struct TableFile {
  std::string name;                            // one part of a path, of letters that need no quotes
  std::optional<std::uint64_t> bytes{};        // exact
  std::optional<std::uint64_t> bytes_about{};  // rounded, for people
  std::string sha256{};                        // 64 hexadecimal digits
  std::string git_blob{};                      // the id that git gives to the content: 40 digits
  std::vector<std::string> urls{};             // of source kUrl: mirrors, tried in this order

  bool has_published_hash() const { return !sha256.empty() || !git_blob.empty(); }
};

struct TableModel {
  std::string name;  // as `virnucpro download` takes it
  ModelSource source = ModelSource::kUrl;
  std::string repository{};  // "organisation/name"; of Hugging Face and GitHub
  std::string revision{};    // empty: the repository's main branch
  std::string folder{};      // its own, below a plain folder of models; empty: none
  std::string licence{};
  std::string instead_of{};  // the model of which it is another form; then not in "all"
  std::vector<TableFile> files{};

  // Bytes of all files, as far as they are known.
  struct Size {
    std::uint64_t bytes = 0;
    bool exact = true;     // no size is rounded or unknown
    bool complete = true;  // each is known at least roughly
  };
  Size size() const;
};

// The models that the program can download. They are data, share/virnucpro/models.json, so that
// users can add mirrors and models in tables of the same form.
struct ModelTable {
  std::vector<TableModel> models;

  const TableModel* find(std::string_view name) const;  // nullptr: none
  // A model of the same name is replaced as a whole.
  void add(const ModelTable& more);
};

// Reads a table strictly: an unknown member or a value of another type is an error. Otherwise a
// misspelt member could lose a hash unseen. Errors: kJson, naming file and member.
ModelTable parse_model_table(std::string_view text, const std::string& file);
ModelTable read_model_table(const std::filesystem::path& file);
// Reads the installed table. Errors: kJson.
ModelTable installed_model_table(const std::filesystem::path& share_dir);

// True if `text` is `digits` hexadecimal digits in lower case, as hashes are written.
bool is_hash(std::string_view text, std::size_t digits);

// True if `text` is an https or http URL that needs no quotes in a shell, and has no user: a
// password would be shown.
bool is_plain_url(std::string_view text);

// A file in a folder of models, with the first hash of each file that has no published one. No
// model's file may have this name.
inline constexpr std::string_view kHashRecordName = "virnucpro-hashes.json";

// Returns "468.3 MB", "about 9.98 GB" or "size not known".
std::string size_text(std::uint64_t bytes);
std::string size_text(const TableModel::Size& size);

}  // namespace virnucpro

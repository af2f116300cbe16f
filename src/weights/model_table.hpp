#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// The publisher of a model. It determines the URLs and the default folder of the model's files.
enum class ModelSource : std::uint8_t { kHuggingFace, kGitHub, kFairEsm, kUrl };
std::string_view name_of(ModelSource source);  // "hugging-face", as in a table

// A file of a published model. Unknown values are empty.
struct TableFile {
  std::string name;                            // a file name that needs no quotes in a shell
  std::optional<std::uint64_t> bytes{};        // exact
  std::optional<std::uint64_t> bytes_about{};  // rounded, for people
  std::string sha256{};                        // 64 hexadecimal digits
  std::string git_blob{};                      // the id that git gives to the content: 40 digits
  std::vector<std::string> urls{};             // only for source kUrl: mirrors, tried in this order

  bool has_published_hash() const { return !sha256.empty() || !git_blob.empty(); }
};

struct TableModel {
  std::string name;  // as `virnucpro download` accepts it
  ModelSource source = ModelSource::kUrl;
  std::string repository{};  // "organisation/name" on Hugging Face or GitHub
  std::string revision{};    // empty: the repository's main branch
  std::string folder{};      // the model's subfolder outside of caches; empty: none
  std::string licence{};
  std::string instead_of{};  // a model that this model can replace; `download all` skips this model
  std::vector<TableFile> files{};

  // The size of all files together. Files of unknown size are left out.
  struct Size {
    std::uint64_t bytes = 0;
    bool exact = true;     // every size is known exactly
    bool complete = true;  // every size is known, at least roughly
  };
  Size size() const;
};

// The models that the program can download, from the file share/virnucpro/models.json. Users can
// add mirrors and models with tables of the same form.
struct ModelTable {
  std::vector<TableModel> models;

  const TableModel* find(std::string_view name) const;  // nullptr: none
  // Adds the models of `more`. A model replaces the whole model that has the same name, if any.
  void add(const ModelTable& more);
};

// These read a table. An unknown member or a value of another type is an error; otherwise a
// misspelt "sha256" would silently leave a file unchecked. Errors: kJson, naming file and member.
ModelTable parse_model_table(std::string_view text, const std::string& file);
ModelTable read_model_table(const std::filesystem::path& file);
// Reads the installed table. Errors: kJson.
ModelTable installed_model_table(const std::filesystem::path& share_dir);

// True if `text` is `digits` hexadecimal digits in lower case, as hashes are written.
bool is_hash(std::string_view text, std::size_t digits);

// True if `text` is an https or http URL of plain ASCII, without white space and quotes. It may not
// name a user, because messages show URLs and would show a password.
bool is_plain_url(std::string_view text);

// For each file without a published hash, this file in a folder of models records the hash of the
// first download. A model's file may not have this name.
inline constexpr std::string_view kHashRecordName = "virnucpro-hashes.json";

// These return a size as text: "468.3 MB", "about 9.98 GB" or "size not known".
std::string size_text(std::uint64_t bytes);
std::string size_text(const TableModel::Size& size);

}  // namespace virnucpro

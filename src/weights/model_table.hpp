#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace virnucpro {

// Who publishes a model. It decides the URLs of its files, and where they go by default.
enum class ModelSource : std::uint8_t { kHuggingFace, kGitHub, kFairEsm, kUrl };
std::string_view name_of(ModelSource source);  // "hugging-face", as in a table

// A file of a published model. What is not known is empty.
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
  std::string folder{};      // in a plain folder of models; empty: the files lie in that itself
  std::string licence{};
  std::string instead_of{};  // the model that it stands for in another form: not part of "all"
  std::vector<TableFile> files{};

  // Bytes of all files, as far as known; `exact` if all are.
  struct Size {
    std::uint64_t bytes = 0;
    bool exact = true;     // no size is rounded or unknown
    bool complete = true;  // each is known at least roughly
  };
  Size size() const;
};

// The models that the program knows where to get: share/virnucpro/models.json, and tables in the
// same form of the user's own.
struct ModelTable {
  std::vector<TableModel> models;

  const TableModel* find(std::string_view name) const;  // nullptr: none
  // A model of the same name is replaced as a whole.
  void add(const ModelTable& more);
};

// Reads a table strictly: an unknown member or a value of another type is an error, as a hash that
// is written in the wrong place would be held to nothing. Errors: kJson, naming file and member.
ModelTable parse_model_table(std::string_view text, const std::string& file);
ModelTable read_model_table(const std::filesystem::path& file);
// The installed one. Errors: kJson.
ModelTable installed_model_table(const std::filesystem::path& share_dir);

// Whether a text is so many hexadecimal digits in lower case, as hashes are written.
bool is_hash(std::string_view text, std::size_t digits);

// Whether a text is a URL of https or http without what a shell would take for its own, and without
// a user, whose password would be shown.
bool is_plain_url(std::string_view text);

// In a folder of models: the hashes that files without a published one had at first. No file of a
// model has this name.
inline constexpr std::string_view kHashRecordName = "virnucpro-hashes.json";

// "468.3 MB", "9.98 GB" and so on; "about", "at least" or "size not known" where that is so.
std::string size_text(std::uint64_t bytes);
std::string size_text(const TableModel::Size& size);

}  // namespace virnucpro

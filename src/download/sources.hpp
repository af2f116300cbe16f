#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.hpp"
#include "download/http_client.hpp"
#include "download/pace.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {

// The servers of the files, with the variable that replaces each. URLs have no slash at the end.
struct SourceSettings {
  std::string hugging_face = "https://huggingface.co";       // HF_ENDPOINT
  std::string github = "https://raw.githubusercontent.com";  // VIRNUCPRO_GITHUB_URL
  std::string fair_esm =
      "https://dl.fbaipublicfiles.com/fair-esm/models";  // VIRNUCPRO_FAIR_ESM_URL
  std::string token{};        // HF_TOKEN; only for `hugging_face`'s own host
  bool offline = false;       // HF_HUB_OFFLINE
  std::uint64_t retries = 5;  // further attempts after a failed request
  Pace pace{};                // slower connections count as failed
};

// Returns the settings from the HF_* variables and the two URLs; an empty URL keeps the default.
// Errors: kUsage for a URL or token that cannot be used.
SourceSettings source_settings(const std::string& github, const std::string& fair_esm);

// A server's facts about a file, before any of it is fetched.
struct RemoteFile {
  std::vector<std::string> urls;  // the first URL answered; the others are mirrors
  std::optional<std::uint64_t> bytes{};
  std::string etag{};    // Hugging Face: a hash of the content; other servers: a version
  std::string commit{};  // the Hugging Face repository's commit; else empty
};

class Sources {
 public:
  Sources(SourceSettings settings, const Cancel& cancel)
      : settings_(std::move(settings)), cancel_(cancel), client_(cancel, settings_.pace) {}

  // Returns the URLs of a file; any can be used. `revision`, if not empty, replaces the model's.
  std::vector<std::string> urls_of(const TableModel& model, const TableFile& file,
                                   const std::string& revision = {}) const;
  // Asks a server about a file: the hub, before it redirects to the data; else the first mirror
  // that answers. `revision` is as in urls_of(). Errors: kNetwork.
  RemoteFile look_up(const TableModel& model, const TableFile& file, const std::string& revision);

  const SourceSettings& settings() const { return settings_; }
  HttpClient& client() { return client_; }
  const Cancel& cancel() const { return cancel_; }
  // Returns the token if the URL has the hub's scheme, host and port; else "".
  std::string token_for(const std::string& url) const;
  // Throws kNetwork if HF_HUB_OFFLINE forbids requests.
  void require_online() const;

 private:
  RemoteFile ask_hub(const std::string& url);
  RemoteFile ask_mirror(const std::string& url, std::uint64_t retries);
  HttpReply head(const std::string& url, std::uint64_t retries);

  SourceSettings settings_;
  const Cancel& cancel_;
  HttpClient client_;
};

// Returns the page of a model's publisher, for people.
std::string page_of(const TableModel& model);

// Returns the target of a redirect. Errors: kNetwork without a target, or from https to http.
std::string redirect_target(const std::string& from, const HttpReply& reply);
inline constexpr int kMostRedirects = 10;
// Returns the error kNetwork for a URL.
Error network_error(const std::string& url, const std::string& why);

}  // namespace virnucpro

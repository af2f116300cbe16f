#include "download/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "download/attempts.hpp"
#include "download/http_headers.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Replaces a default base URL by `set`, without slashes at its end, if `set` is not empty.
void take_base(std::string& base, const std::string& set, const char* name) {
  if (set.empty()) return;
  // The error does not show `set`, because it may contain a password.
  if (origin_of(set).empty() || !is_plain_url(set)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected an https or http URL without a user name", name));
  }
  base = set.substr(0, set.find_last_not_of('/') + 1);
}

bool is_token(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter > 0x20 && letter < 0x7f; });
}

// Reads the hub's headers; returns nothing if they are missing. A redirect to the data has them; a
// redirect to a repository's new name does not.
std::optional<RemoteFile> hub_file(const std::string& url, const HttpReply& reply) {
  RemoteFile file{.urls = {url}};
  file.commit = reply.headers.get("x-repo-commit");
  const std::string linked = reply.headers.get("x-linked-etag");
  if (file.commit.empty() || (linked.empty() && reply.is_redirect())) return std::nullopt;
  file.etag = etag_value(linked.empty() ? reply.headers.get("etag") : linked);
  file.bytes = reply.headers.number("x-linked-size");
  if (!file.bytes && !reply.is_redirect()) file.bytes = reply.headers.number("content-length");
  // Commit and ETag become file names, the ETag also with the endings ".lock" and ".incomplete".
  const bool is_name = is_file_name(file.etag) && file.etag.find('.') == std::string::npos;
  if (is_file_name(file.commit) && is_name) return file;
  throw network_error(
      url, "the commit or the ETag that the server sent cannot be a file name: try another mirror");
}

}  // namespace

Error network_error(const std::string& url, const std::string& why) {
  return Error(ErrorKind::kNetwork, Place{.file = url}, why);
}

std::string redirect_target(const std::string& from, const HttpReply& reply) {
  std::string to = resolve_url(from, reply.headers.get("location"));
  if (to.empty()) throw network_error(from, "it redirects to a URL that is neither https nor http");
  if (is_secure(from) && !is_secure(to)) {
    throw network_error(from, fmt::format("it redirects from https to {}", origin_of(to)));
  }
  return to;
}

SourceSettings source_settings(const std::string& github, const std::string& fair_esm) {
  SourceSettings settings;
  take_base(settings.hugging_face, variable("HF_ENDPOINT"), "HF_ENDPOINT");
  take_base(settings.github, github, "VIRNUCPRO_GITHUB_URL");
  take_base(settings.fair_esm, fair_esm, "VIRNUCPRO_FAIR_ESM_URL");
  settings.token = variable("HF_TOKEN");
  if (!is_token(settings.token)) {
    throw Error(ErrorKind::kUsage,
                "HF_TOKEN has a blank or another character that a token cannot have");
  }
  const std::string offline = variable("HF_HUB_OFFLINE");
  settings.offline = !offline.empty() && parse_bool(offline).value_or(true);
  return settings;
}

std::string Sources::token_for(const std::string& url) const {
  return origin_of(url) == origin_of(settings_.hugging_face) ? settings_.token : std::string{};
}

void Sources::require_online() const {
  if (!settings_.offline) return;
  throw Error(ErrorKind::kNetwork, "HF_HUB_OFFLINE is set, so nothing is downloaded")
      .advised("Unset it, or install files that were carried here by hand: --from DIR.");
}

std::vector<std::string> Sources::urls_of(const TableModel& model, const TableFile& file,
                                          const std::string& revision) const {
  const std::string of_table = model.revision.empty() ? "main" : model.revision;
  const std::string& chosen = revision.empty() ? of_table : revision;
  switch (model.source) {
    case ModelSource::kHuggingFace:
      return {fmt::format("{}/{}/resolve/{}/{}", settings_.hugging_face, model.repository, chosen,
                          file.name)};
    case ModelSource::kGitHub:
      return {fmt::format("{}/{}/{}/{}", settings_.github, model.repository, chosen, file.name)};
    case ModelSource::kFairEsm:
      return {fmt::format("{}/{}", settings_.fair_esm, file.name)};
    case ModelSource::kUrl:
      break;
  }
  return file.urls;
}

HttpReply Sources::head(const std::string& url, std::uint64_t retries) {
  Attempts attempts(retries, cancel_);
  while (true) {
    HttpReply reply = client_.send({.url = url, .head = true, .token = token_for(url)});
    if (!may_pass(reply)) return reply;
    const std::string why = fmt::format("{}: {}", url, failure_text(reply));
    if (!attempts.wait_for_next(why, reply.headers.number("retry-after"))) return reply;
  }
}

// Asks the hub about a file. Follows redirects within the hub, as huggingface_hub does, because a
// repository may have been renamed.
RemoteFile Sources::ask_hub(const std::string& url) {
  std::string at = url;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    const HttpReply reply = head(at, settings_.retries);
    const bool answered = reply.failure.empty() && (reply.status == 200 || reply.is_redirect());
    if (!answered) throw network_error(at, failure_text(reply));
    if (const auto file = hub_file(at, reply)) return *file;
    if (!reply.is_redirect())
      throw network_error(
          at, "the reply has no commit, so this is not a Hugging Face hub: check HF_ENDPOINT");
    const std::string to = redirect_target(at, reply);
    if (origin_of(to) != origin_of(url)) {
      throw network_error(
          at, fmt::format("the reply has no commit, and redirects to {}: check HF_ENDPOINT",
                          origin_of(to)));
    }
    at = to;
  }
  throw network_error(url, fmt::format("more than {} redirects", kMostRedirects));
}

// Asks a mirror about a file. If it does not support HEAD, the file's size and ETag stay unknown.
RemoteFile Sources::ask_mirror(const std::string& url, std::uint64_t retries) {
  std::string at = url;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    const HttpReply reply = head(at, retries);
    if (!reply.failure.empty()) throw network_error(at, failure_text(reply));
    if (reply.status == 405 || reply.status == 501) return RemoteFile{.urls = {url}};
    if (reply.status == 200) {
      const std::string etag = reply.headers.get("etag");
      return RemoteFile{.urls = {url},
                        .bytes = reply.headers.number("content-length"),
                        .etag = is_strong_etag(etag) ? etag : std::string{}};
    }
    if (!reply.is_redirect()) throw network_error(at, failure_text(reply));
    at = redirect_target(at, reply);
  }
  throw network_error(url, fmt::format("more than {} redirects", kMostRedirects));
}

RemoteFile Sources::look_up(const TableModel& model, const TableFile& file,
                            const std::string& revision) {
  require_online();
  const std::vector<std::string> urls = urls_of(model, file, revision);
  if (model.source == ModelSource::kHuggingFace) return ask_hub(urls.front());
  std::string failures;
  for (auto url = urls.begin(); url != urls.end(); ++url) {
    try {
      // Retry only on the last mirror. If an earlier mirror fails, the next mirror is tried.
      RemoteFile found = ask_mirror(*url, url + 1 == urls.end() ? settings_.retries : 0);
      found.urls.insert(found.urls.end(), url + 1, urls.end());
      return found;
    } catch (const Error& error) {
      const bool is_of_mirror = !error.place().file.empty();  // else libcurl or certificates failed
      if (error.kind() != ErrorKind::kNetwork || !is_of_mirror) throw;
      failures +=
          fmt::format("{}{}: {}", failures.empty() ? "" : "; ", error.place().file, error.detail());
    }
  }
  throw Error(ErrorKind::kNetwork, failures);
}

std::string page_of(const TableModel& model) {
  switch (model.source) {
    case ModelSource::kHuggingFace:
      return "https://huggingface.co/" + model.repository;
    case ModelSource::kGitHub:
      return "https://github.com/" + model.repository;
    case ModelSource::kFairEsm:
      return "https://github.com/facebookresearch/esm";
    case ModelSource::kUrl:
      break;
  }
  return model.files.front().urls.front();
}

}  // namespace virnucpro

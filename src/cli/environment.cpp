#include "cli/environment.hpp"

#include <array>
#include <cstdlib>

#include "base/text.hpp"

namespace virnucpro {
namespace {

constexpr std::array kVariables{
    EnvironmentVariable{"VIRNUCPRO_MODELS", "where downloaded models lie (--models-dir)", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_SHARE",
                        "the program's folder share/virnucpro, if it is not beside bin/", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_DISABLE_PACKING",
                        "1: one frame per batch; slower, with the same results", true, true},
    EnvironmentVariable{"VIRNUCPRO_DISABLE_FP16", "1: --precision auto is fp32 on a GPU, too", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_V1_ATTENTION", "attention is always exact", false, true},
    EnvironmentVariable{"VIRNUCPRO_VIRAL_CHECKPOINT_MODE",
                        "it made v2 write checkpoints more often: see --journal-interval", false,
                        true},
    EnvironmentVariable{"VIRNUCPRO_DISABLE_CHECKPOINTING",
                        "1: no journal is kept, and an interrupted run cannot be resumed", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_CACHE",
                        "this program's cache, for models that go to no other cache and for "
                        "calibrations of --margin auto; if not set, XDG_CACHE_HOME/virnucpro or "
                        "~/.cache/virnucpro",
                        true, true},
    EnvironmentVariable{"VIRNUCPRO_LOADER",
                        "host or carried: whose loader and C library a package uses; if not set, "
                        "the host's if they are as new as the carried ones",
                        true, true},
    EnvironmentVariable{
        "VIRNUCPRO_CUPTI",
        "the path of libcupti.so, if the loader does not find it; --trace needs it for GPU kernels",
        true, true},
    EnvironmentVariable{"VIRNUCPRO_GITHUB_URL",
                        "download: a mirror to use in place of https://raw.githubusercontent.com",
                        true, true},
    EnvironmentVariable{
        "VIRNUCPRO_FAIR_ESM_URL",
        "download: a mirror to use in place of https://dl.fbaipublicfiles.com/fair-esm/models",
        true, true},
    EnvironmentVariable{"CUDA_VISIBLE_DEVICES",
                        "which GPUs this program sees (utils list-devices, if CUDA is built in)",
                        true, false},
    EnvironmentVariable{
        "ONEDNN_MAX_CPU_ISA",
        "AVX2: the same numbers as on a processor without AVX-512 (docs/develop/determinism.md)",
        true, false},
    EnvironmentVariable{
        "TMPDIR",
        "the folder of temporary files (if not set, /tmp): the index of a --reference, tune's "
        "runs, the run of --output -, copies of journals; also for sorting rows (if not set, the "
        "output's folder)",
        true, false},
    EnvironmentVariable{"HF_HUB_CACHE",
                        "the Hugging Face cache; if not set, HUGGINGFACE_HUB_CACHE, HF_HOME/hub, "
                        "XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub",
                        true, false},
    EnvironmentVariable{"TORCH_HOME",
                        "holds torch hub's hub/checkpoints; if not set, XDG_CACHE_HOME/torch or "
                        "~/.cache/torch",
                        true, false},
    EnvironmentVariable{
        "HF_ENDPOINT", "download: a mirror to use in place of https://huggingface.co", true, false},
    EnvironmentVariable{
        "HF_TOKEN",
        "download: the token of a Hugging Face account, sent only to HF_ENDPOINT's host", true,
        false},
    EnvironmentVariable{"HF_HUB_OFFLINE", "1: download sends no request to any server", true,
                        false},
    EnvironmentVariable{"https_proxy",
                        "download: the proxy for https; http_proxy for http; no_proxy: hosts to "
                        "reach without a proxy",
                        true, false},
    EnvironmentVariable{"SSL_CERT_FILE",
                        "download: certificates of trusted authorities; if not set, the system's",
                        true, false},
};

}  // namespace

std::span<const EnvironmentVariable> environment_variables() {
  return kVariables;
}

Environment Environment::of_process() {
  std::map<std::string, std::string, std::less<>> values;
  for (const EnvironmentVariable& variable : kVariables) {
    const char* value = std::getenv(variable.name.data());  // names are NUL-terminated literals
    if (variable.own && value != nullptr) values.emplace(variable.name, value);
  }
  return Environment(std::move(values));
}

std::string Environment::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string{} : found->second;
}

bool Environment::enabled(std::string_view name) const {
  const std::string value = text(name);
  return !value.empty() && parse_bool(value).value_or(true);
}

}  // namespace virnucpro

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
                        "the program's share/virnucpro, where it is not beside its bin/", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_DISABLE_PACKING",
                        "1: one frame a batch; slower, and the results are the same", true, true},
    EnvironmentVariable{"VIRNUCPRO_DISABLE_FP16", "auto precision is fp32 on a GPU, too", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_V1_ATTENTION", "there is one attention, an exact one", false,
                        true},
    EnvironmentVariable{"VIRNUCPRO_VIRAL_CHECKPOINT_MODE",
                        "it had v2 write checkpoints more often: see --journal-interval", false,
                        true},
    EnvironmentVariable{"VIRNUCPRO_DISABLE_CHECKPOINTING",
                        "1: no journal is kept, and an interrupted run cannot be resumed", true,
                        true},
    EnvironmentVariable{"VIRNUCPRO_CACHE",
                        "this program's own: downloaded models that belong to no other cache, and "
                        "calibrations of --margin auto; else XDG_CACHE_HOME/virnucpro, "
                        "~/.cache/virnucpro",
                        true, true},
    EnvironmentVariable{"VIRNUCPRO_LOADER",
                        "host or carried: whose loader and C library start a package's program; "
                        "else the host's if they are as new as the carried ones",
                        true, true},
    EnvironmentVariable{
        "VIRNUCPRO_CUPTI",
        "libcupti.so, by which --trace records kernels, if the loader does not find it", true,
        true},
    EnvironmentVariable{"VIRNUCPRO_GITHUB_URL",
                        "download: in place of https://raw.githubusercontent.com, a mirror", true,
                        true},
    EnvironmentVariable{
        "VIRNUCPRO_FAIR_ESM_URL",
        "download: in place of https://dl.fbaipublicfiles.com/fair-esm/models, a mirror", true,
        true},
    EnvironmentVariable{"CUDA_VISIBLE_DEVICES",
                        "which GPUs CUDA shows (utils list-devices, where CUDA is built in)", true,
                        false},
    EnvironmentVariable{
        "ONEDNN_MAX_CPU_ISA",
        "AVX2: the same numbers as on a processor without AVX-512 (docs/develop/determinism.md)",
        true, false},
    EnvironmentVariable{
        "TMPDIR",
        "the folder of temporary files: the index of a --reference, rows that are "
        "sorted, tune's runs, the journal of --output - and of a killed run that is "
        "read; else /tmp",
        true, false},
    EnvironmentVariable{"HF_HUB_CACHE",
                        "the Hugging Face cache; else HUGGINGFACE_HUB_CACHE, HF_HOME/hub, "
                        "XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub",
                        true, false},
    EnvironmentVariable{"TORCH_HOME",
                        "holds torch hub's hub/checkpoints; else XDG_CACHE_HOME/torch, "
                        "~/.cache/torch",
                        true, false},
    EnvironmentVariable{"HF_ENDPOINT", "download: in place of https://huggingface.co, a mirror",
                        true, false},
    EnvironmentVariable{"HF_TOKEN",
                        "download: the token of a Hugging Face account, sent to HF_ENDPOINT's host "
                        "alone",
                        true, false},
    EnvironmentVariable{"HF_HUB_OFFLINE", "1: download requests nothing from any server", true,
                        false},
    EnvironmentVariable{"https_proxy",
                        "download: the proxy for https; http_proxy for http; no_proxy: hosts that "
                        "are reached without",
                        true, false},
    EnvironmentVariable{"SSL_CERT_FILE",
                        "download: certificates of trusted authorities; else the system's", true,
                        false},
};

}  // namespace

std::span<const EnvironmentVariable> environment_variables() {
  return kVariables;
}

Environment Environment::of_process() {
  std::map<std::string, std::string, std::less<>> values;
  for (const EnvironmentVariable& variable : kVariables) {
    const char* value = std::getenv(variable.name.data());  // a literal, so it ends with NUL
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

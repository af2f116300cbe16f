#include "cli/trial_arguments.hpp"

namespace virnucpro {

std::vector<std::string> encoder_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                           const Session& session) {
  std::vector<std::string> words{
      "--dnabert-model",         models.dnabert_s, "--esm-model", models.esm2, "-e",
      std::to_string(chunk_size)};
  add_given(words, "--models-dir", models.lookup.models_dir.string());
  add_given(words, "--config", session.global.config_file);
  return words;
}

std::vector<std::string> model_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                         const Session& session) {
  std::vector<std::string> words = encoder_arguments(models, chunk_size, session);
  words.insert(words.end(), {"-m", "custom", "-p", models.classifier});
  return words;
}

void add_given(std::vector<std::string>& words, const char* flag, const std::string& value) {
  if (!value.empty()) words.insert(words.end(), {flag, value});
}

}  // namespace virnucpro

#include "measure/commands/trials.hpp"

#include <string>

namespace virnucpro {

std::vector<std::string> encoder_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                           const Session& session) {
  std::vector<std::string> arguments{
      "--dnabert-model",         models.dnabert_s, "--esm-model", models.esm2, "-e",
      std::to_string(chunk_size)};
  add_given(arguments, "--models-dir", models.lookup.models_dir.string());
  add_given(arguments, "--config", session.global.config_file);
  return arguments;
}

std::vector<std::string> model_arguments(const ModelSettings& models, std::uint64_t chunk_size,
                                         const Session& session) {
  std::vector<std::string> arguments = encoder_arguments(models, chunk_size, session);
  arguments.insert(arguments.end(), {"-m", "custom", "-p", models.classifier});
  return arguments;
}

void add_given(std::vector<std::string>& arguments, const char* flag, const std::string& value) {
  if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
}

}  // namespace virnucpro

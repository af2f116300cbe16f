#include "weights/model_folders.hpp"

#include "base/process.hpp"

namespace virnucpro {

namespace fs = std::filesystem;

fs::path hugging_face_cache() {
  return first_set({environment_path("HF_HUB_CACHE"), environment_path("HUGGINGFACE_HUB_CACHE"),
                    environment_path("HF_HOME", "hub"),
                    environment_path("XDG_CACHE_HOME", "huggingface/hub"),
                    environment_path("HOME", ".cache/huggingface/hub")});
}

fs::path torch_hub_cache() {
  return first_set({environment_path("TORCH_HOME", "hub/checkpoints"),
                    environment_path("XDG_CACHE_HOME", "torch/hub/checkpoints"),
                    environment_path("HOME", ".cache/torch/hub/checkpoints")});
}

fs::path own_model_folder() {
  const fs::path cache = own_cache();
  return cache.empty() ? cache : cache / "models";
}

std::string hub_folder(std::string_view repository) {
  std::string folder = "models--" + std::string(repository);
  if (const auto slash = folder.find('/'); slash != std::string::npos) {
    folder.replace(slash, 1, "--");
  }
  return folder;
}

}  // namespace virnucpro

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace virnucpro {

// Return the caches of the Python tools, where models may be. Environment variables count in the
// order of huggingface_hub's constants and torch.hub.get_dir(). The path is empty if no variable is
// set, not even HOME.
std::filesystem::path hugging_face_cache();
std::filesystem::path torch_hub_cache();
// Returns the folder of models that belong to neither cache. It has the layout of --models-dir.
std::filesystem::path own_model_folder();

// Returns a repository's folder in a Hugging Face cache: "models--org--name" for "org/name".
std::string hub_folder(std::string_view repository);

}  // namespace virnucpro

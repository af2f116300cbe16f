#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace virnucpro {

// The folders of downloaded models: the caches of the Python tools, and one of this program's own.
// Environment variables count in the order of huggingface_hub's constants and torch.hub.get_dir().
// Empty if no variable is set, not even HOME.
std::filesystem::path hugging_face_cache();
std::filesystem::path torch_hub_cache();
// Holds models that belong to neither cache, laid out as a folder for --models-dir.
std::filesystem::path own_model_folder();

// A repository's folder in a Hugging Face cache: "models--org--name" for "org/name".
std::string hub_folder(std::string_view repository);

}  // namespace virnucpro

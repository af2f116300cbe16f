#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace virnucpro {

// These return the cache folders in which Python tools keep models. Environment variables are read
// in the order of huggingface_hub's constants and torch.hub.get_dir(). The path is empty if none of
// the variables, HOME included, is set.
std::filesystem::path hugging_face_cache();
std::filesystem::path torch_hub_cache();
// Returns this program's own folder of models, which has the layout of --models-dir.
std::filesystem::path own_model_folder();

// Returns a repository's folder in a Hugging Face cache: "models--org--name" for "org/name".
std::string hub_folder(std::string_view repository);

}  // namespace virnucpro

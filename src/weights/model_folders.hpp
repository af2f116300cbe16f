#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace virnucpro {

// Where downloaded models lie: the caches of the Python tools, in the order of huggingface_hub's
// constants and of torch.hub.get_dir(), and a folder of this program's own. Empty where no variable
// names a place, not even HOME.
std::filesystem::path hugging_face_cache();
std::filesystem::path torch_hub_cache();
// For what belongs to neither: laid out as a folder for --models-dir.
std::filesystem::path own_model_folder();

// A repository's folder in a Hugging Face cache: "models--org--name" for "org/name".
std::string hub_folder(std::string_view repository);

}  // namespace virnucpro

#include "run/synthetic_mark.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "journal/run_files.hpp"

namespace virnucpro {

bool is_synthetic(const std::map<std::string, std::string>& models) {
  const auto found = models.find(kSyntheticKey);
  return found != models.end() && found->second == "true";
}

void mark_synthetic(const std::filesystem::path& directory,
                    const std::map<std::string, std::string>& models) {
  if (!is_synthetic(models)) return;
  AtomicFile mark(run_files::kSyntheticMark.in(directory));
  mark.write(
      "Weights of this run are synthetic: seeded random numbers.\n"
      "Its scores mean nothing.\n\n");
  for (const char* name : {"dnabert_s", "esm2", "classifier"}) {
    mark.write(fmt::format("{}: {}\n", name, models.at(name)));
  }
  mark.commit();
}

}  // namespace virnucpro

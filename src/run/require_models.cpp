#include "run/require_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "weights/locate.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

class Missing {
 public:
  explicit Missing(const ModelLookup& lookup) : lookup_(lookup) {}

  void look(ModelFamily family, const char* title, const std::string& model,
            std::span<const SyntheticShape> shapes) {
    if (is_synthetic(model)) {
      const std::string name = parse_synthetic(model).name;
      if (!shapes.empty()) find_synthetic_shape(shapes, name);
      return;
    }
    try {
      locate_model(family, model, lookup_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kWeightsMissing) throw;
      found_.push_back(fmt::format("{} {}", title, error.detail()));
    }
  }

  void check() const {
    if (found_.empty()) return;
    throw Error(ErrorKind::kWeightsMissing, fmt::format("{}", fmt::join(found_, "; ")));
  }

 private:
  const ModelLookup& lookup_;
  std::vector<std::string> found_;
};

}  // namespace

void require_models(const ModelSettings& models, const EngineOutputs& outputs) {
  Missing missing(models.lookup);
  if (outputs.needs_dnabert_s()) {
    missing.look(ModelFamily::kDnabert, "DNABERT-S", models.dnabert_s, synthetic_dnabert_shapes());
  }
  if (outputs.needs_esm2()) {
    missing.look(ModelFamily::kEsm2, "ESM-2", models.esm2, synthetic_esm2_shapes());
  }
  if (outputs.scores) {
    missing.look(ModelFamily::kClassifier, "classifier", models.classifier, {});
  }
  missing.check();
}

}  // namespace virnucpro

#include "run/require_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "weights/locate.hpp"
#include "weights/model_table.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

// Returns the table of models; empty if it is bad, so that the error is still about missing models.
ModelTable table_of(const ModelLookup& lookup) {
  try {
    return installed_model_table(lookup.share_dir);
  } catch (const Error&) {
    return {};
  }
}

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
      const bool is_of_a_file = !error.place().file.empty();
      if (error.kind() != ErrorKind::kWeightsMissing || is_of_a_file) throw;
      add(title, error.detail(), published_model(family, model), find_published(model));
    }
  }

  void check() const {
    if (found_.empty()) return;
    Error error(ErrorKind::kWeightsMissing, fmt::format("{}", fmt::join(found_, ", ")));
    if (!names_.empty()) error.advise(command());
    throw error;
  }

 private:
  // Adds a missing model. `named` is the published model with the whole name that the user gave;
  // `model` is the published model with the last part of that name. Either may be null.
  void add(std::string text, const std::string& detail, const PublishedModel* model,
           const PublishedModel* named) {
    if (found_.empty()) table_ = table_of(lookup_);
    const TableModel* row = model == nullptr ? nullptr : table_.find(model->download);
    if (row == nullptr || model != named) text += " " + detail;  // else the command names the model
    if (row != nullptr) {
      names_.push_back(row->name);
      if (row->size().bytes > 0) text += fmt::format(" ({})", size_text(row->size()));
    }
    found_.push_back(std::move(text));
  }

  // Returns the command that gets all missing published models.
  std::string command() const {
    const std::string folder = lookup_.models_dir.empty()
                                   ? ""
                                   : " --models-dir " + shell_word(lookup_.models_dir.string());
    const std::string_view what =
        names_.size() == found_.size() ? "them" : "what can be downloaded";
    return fmt::format("Get {} with: virnucpro download {}{}", what, fmt::join(names_, " "),
                       folder);
  }

  const ModelLookup& lookup_;
  ModelTable table_;
  std::vector<std::string> found_;
  std::vector<std::string> names_;  // models that can be downloaded
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

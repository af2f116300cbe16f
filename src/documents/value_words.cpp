#include "documents/value_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/int8_policy.hpp"
#include "weights/locate.hpp"
#include "weights/synthetic.hpp"

namespace virnucpro {
namespace {

constexpr std::string_view kListMark = "[,...]";

bool is_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](char letter) { return letter >= 'A' && letter <= 'Z'; });
}

void add_synthetic(ValueWords& values, std::span<const SyntheticShape> shapes) {
  for (const SyntheticShape& shape : shapes) {
    values.words.push_back(fmt::format("synthetic:{}", brief_name(shape)));
  }
}

void add_synthetic_esm2(ValueWords& values) {
  add_synthetic(values, synthetic_esm2_shapes());
  for (const SyntheticShape& shape : synthetic_esm2_shapes()) {
    if (!is_published_esm2(shape)) continue;  // do not suggest variants of tiny models
    for (const SyntheticVariant& variant : synthetic_variants()) {
      values.words.push_back(fmt::format("synthetic:{}-{}", brief_name(shape), variant.name));
    }
  }
}

// Adds the short name and the published name of each model of a family.
void add_published(ValueWords& values, ModelFamily family) {
  for (const PublishedModel& model : published_models()) {
    if (model.family != family) continue;
    if (!model.download.empty()) values.words.emplace_back(model.download);
    values.words.emplace_back(model.aliases[0]);
  }
}

void add_named(ValueWords& values, std::string_view name) {
  if (name == "N" || name == "X" || name == "NAME" || name == "LIMIT" || name == "COMMAND" ||
      name == "LENGTHS" || name == "HASH" || name == "SUITE" || name == "ID") {
    return;
  }
  if (name == "DIR") {
    values.directories = true;
  } else if (name == "FILE" || name == "PREFIX" || name == "INPUT" || name == "ALIGNMENTS" ||
             name == "A" || name == "B") {
    values.files = true;
  } else if (name == "CLASSIFIER") {
    values.files = true;
    values.words.emplace_back("synthetic");
  } else if (name == "ESM") {
    values.files = true;
    add_published(values, ModelFamily::kEsm2);
    add_synthetic_esm2(values);
  } else if (name == "DNABERT") {
    values.files = true;
    add_published(values, ModelFamily::kDnabert);
    add_synthetic(values, synthetic_dnabert_shapes());
  } else if (name == "LINEAR") {
    for (std::size_t i = 0; i < kEsm2Linears; ++i) {
      values.words.emplace_back(name_of(static_cast<Esm2Linear>(i)));
    }
    values.words.emplace_back("none");
  } else if (name == "MODEL") {
    values.words.emplace_back("all");
    for (const std::string_view model : download_names()) values.words.emplace_back(model);
  } else if (name == "SYNTHETIC") {
    values.words.emplace_back("synthetic");
    add_synthetic_esm2(values);
    add_synthetic(values, synthetic_dnabert_shapes());
  } else {
    throw Error(ErrorKind::kInternal,
                fmt::format("value_words() does not know the values called {}", name));
  }
}

}  // namespace

ValueWords value_words(std::string_view value) {
  ValueWords values;
  values.is_list = value.ends_with(kListMark);
  if (values.is_list) value.remove_suffix(kListMark.size());
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find('|'));
    if (is_name(word)) {
      add_named(values, word);
    } else {
      values.words.emplace_back(word);
    }
    value.remove_prefix(std::min(word.size() + 1, value.size()));
  }
  return values;
}

ValueWords value_words(const OptionRow& row) {
  ValueWords values = value_words(row.value);
  values.words.insert(values.words.end(), row.words.begin(), row.words.end());
  return values;
}

}  // namespace virnucpro

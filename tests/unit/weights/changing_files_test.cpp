// A model's file that is cut, appended to or overwritten between being opened and being read: an
// error that names the file, in every format, and never a signal or other numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <functional>
#include <vector>

#include "unit/weights/weight_builder.hpp"
#include "weights/load.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

const ModelLookup kShared{.models_dir = {},
                          .share_dir = fs::path(VIRNUCPRO_SOURCE_DIR) / "share/virnucpro"};

using Load = std::function<std::unique_ptr<const Weights>(const std::string&)>;

std::unique_ptr<const Weights> classifier(const std::string& model) {
  return load_classifier(model, 20, kShared).tensors;
}

std::unique_ptr<const Weights> esm2(const std::string& model) {
  return load_esm2(model, kShared).tensors;
}

std::unique_ptr<const Weights> dnabert_s(const std::string& model) {
  return load_dnabert_s(model, kShared).tensors;
}

// Numbers that fill whole records, parts of one, strided ones; fp32, fp16 and bf16.
struct Form {
  std::string model;
  std::string file;  // in the model's directory
  Load load;
};

class ChangingWeights : public testing::TestWithParam<Form> {};

// Changes a copy of the model after it was opened, and then reads all of it.
TEST_P(ChangingWeights, AreRefused) {
  const std::vector<std::function<void(const fs::path&)>> changes{
      [](const fs::path& file) { fs::resize_file(file, 0); },
      [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); },
      [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) + 1); },
      [](const fs::path& file) { write_text(file, std::string(fs::file_size(file), '\x01')); }};
  for (std::size_t k = 0; k < changes.size(); ++k) {
    SCOPED_TRACE(k);
    const ScratchDir scratch;
    const fs::path model = scratch / "model";
    fs::copy(weight_data() / GetParam().model, model, fs::copy_options::recursive);
    const fs::path file = GetParam().file.empty() ? model : model / GetParam().file;
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
    const auto weights = GetParam().load(model);
    changes[k](file);
    const Error error = thrown([&] { (void)weights->hash(); });
    EXPECT_EQ(error.kind(), ErrorKind::kWeightsChanged);
    EXPECT_THAT(error.what(), testing::StartsWith(file.string() + ": "));
  }
}

// A program may change the file and set its time back.
TEST(ChangedWeights, WrittenToUnseen) {
  const ScratchDir scratch;
  const fs::path model = scratch / "classifier.safetensors";
  for (const bool is_written : {true, false}) {
    fs::copy_file(weight_data() / "classifier/classifier.safetensors", model,
                  fs::copy_options::overwrite_existing);
    const auto weights = classifier(model);
    const std::string before = weights->hash();
    const auto time = fs::last_write_time(model);
    std::string text = read_text(model);
    if (is_written) text.replace(text.size() - 64, 64, std::string(64, '\x01'));
    write_text(model, text);
    fs::last_write_time(model, time);
    if (is_written) {
      EXPECT_EQ(error_of([&] { (void)weights->hash(); }), ErrorKind::kWeightsChanged);
    } else {
      EXPECT_EQ(weights->hash(), before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, ChangingWeights,
                         testing::Values(Form{"classifier/module.pth", "", classifier},
                                         Form{"classifier/transposed.pth", "", classifier},
                                         Form{"classifier/classifier.safetensors", "", classifier},
                                         Form{"esm2/fair_f16.pt", "", esm2},
                                         Form{"esm2/hf_bf16", "model.safetensors", esm2},
                                         Form{"dnabert_s/bin", "pytorch_model.bin", dnabert_s}),
                         [](const auto& form) {
                           std::string name = form.param.model;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char letter) { return std::isalnum(letter) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace virnucpro

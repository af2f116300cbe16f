#include "weights/locate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "unit/variable.hpp"
#include "unit/weights/weight_builder.hpp"
#include "weights/model_table.hpp"

namespace virnucpro {
namespace {

using ::testing::HasSubstr;

// Points the caches' environment variables to a scratch folder during one test.
class Locate : public ::testing::Test {
 protected:
  std::filesystem::path esm2(const std::string& model) const {
    return locate_model(ModelFamily::kEsm2, model, lookup_);
  }
  // Puts a snapshot of a repository into the cache; returns its place.
  std::filesystem::path add_snapshot(const std::string& repository) const {
    const std::string place = ".cache/huggingface/hub/models--" + repository;
    scratch_.write(place + "/refs/main", "abc\n");
    return scratch_.write(place + "/snapshots/abc/config.json", "{}").parent_path();
  }

  ScratchDir scratch_;
  ScopedVariable hub_{"HF_HUB_CACHE", {}};
  ScopedVariable older_hub_{"HUGGINGFACE_HUB_CACHE", {}};
  ScopedVariable hugging_face_{"HF_HOME", {}};
  ScopedVariable cache_{"XDG_CACHE_HOME", {}};
  ScopedVariable torch_{"TORCH_HOME", {}};
  ScopedVariable home_{"HOME", scratch_.path().string()};
  ModelLookup lookup_{.models_dir = scratch_.path() / "models", .share_dir = {}};
};

TEST_F(Locate, APathIsTakenAsItIs) {
  const auto path = scratch_.write("some/model.pt", "x");
  EXPECT_EQ(esm2(path), path);
}

TEST_F(Locate, ModelDirectoryComesFirst) {
  scratch_.write(".cache/torch/hub/checkpoints/esm2_t36_3B_UR50D.pt", "x");
  const auto torch = scratch_.path() / ".cache/torch/hub/checkpoints/esm2_t36_3B_UR50D.pt";
  EXPECT_EQ(esm2("esm2_t36_3B_UR50D"), torch);
  EXPECT_EQ(esm2("esm2_t36_3B"), torch);
  EXPECT_EQ(esm2("facebook/esm2_t36_3B_UR50D"), torch);

  const auto snapshot = add_snapshot("facebook--esm2_t36_3B_UR50D");
  EXPECT_EQ(esm2("esm2_t36_3B"), snapshot);

  const auto downloaded = scratch_.write("models/esm2_t36_3B_UR50D.pt", "x");
  EXPECT_EQ(esm2("esm2_t36_3B"), downloaded);
}

TEST_F(Locate, CachesFollowTheirVariables) {
  scratch_.write("hub/models--zhihan1996--DNABERT-S/refs/main", "r1");
  scratch_.write("hub/models--zhihan1996--DNABERT-S/snapshots/r1/config.json", "{}");
  for (const auto& [variable, value] :
       {std::pair{"HF_HUB_CACHE", scratch_.path() / "hub"}, {"HF_HOME", scratch_.path()}}) {
    const ScopedVariable pointed(variable, value.string());
    for (const char* name : {"zhihan1996/DNABERT-S", "dnabert-s", "DNABERT-S"}) {
      EXPECT_EQ(locate_model(ModelFamily::kDnabert, name, lookup_),
                scratch_.path() / "hub/models--zhihan1996--DNABERT-S/snapshots/r1");
    }
  }
}

TEST_F(Locate, ClassifiersLieInTheModelDirectory) {
  const auto path = scratch_.write("models/500_model.pth", "x");
  EXPECT_EQ(locate_model(ModelFamily::kClassifier, "500_model.pth", lookup_), path);
  EXPECT_EQ(locate_model(ModelFamily::kClassifier, "500", lookup_), path);
}

TEST_F(Locate, TheProgramsOwnFolderComesLast) {
  const auto own = scratch_.write(".cache/virnucpro/models/500_model.pth", "x");
  EXPECT_EQ(locate_model(ModelFamily::kClassifier, "500_model.pth", lookup_), own);
  EXPECT_EQ(locate_model(ModelFamily::kClassifier, "500", lookup_), own);
  const auto other = scratch_.write(".cache/virnucpro/models/lab.pth", "x");
  EXPECT_EQ(locate_model(ModelFamily::kClassifier, "lab.pth", lookup_), other);
  const auto in_models = scratch_.write("models/500_model.pth", "x");
  EXPECT_EQ(locate_model(ModelFamily::kClassifier, "500", lookup_), in_models);

  scratch_.write(".cache/virnucpro/models/DNABERT-S/config.json", "{}");
  EXPECT_EQ(locate_model(ModelFamily::kDnabert, "zhihan1996/DNABERT-S", lookup_),
            scratch_.path() / ".cache/virnucpro/models/DNABERT-S");
}

TEST_F(Locate, EveryModelOfTheTableIsKnownByAllItsNames) {
  const ModelTable table =
      installed_model_table(std::filesystem::path(VIRNUCPRO_SOURCE_DIR) / "share/virnucpro");
  std::size_t known = 0;
  for (const PublishedModel& model : published_models()) {
    for (const std::string_view name : names_of(model)) EXPECT_EQ(find_published(name), &model);
    if (model.download.empty()) continue;
    ++known;
    const TableModel* row = table.find(model.download);
    ASSERT_NE(row, nullptr) << model.download;
    EXPECT_EQ(row->source == ModelSource::kHuggingFace ? row->repository : "", model.repository);
    EXPECT_EQ(row->folder.empty() ? row->files.front().name : row->folder, model.aliases[0]);
  }
  EXPECT_EQ(known, table.models.size());
}

TEST_F(Locate, TheNameOfADownloadIsTakenEverywhere) {
  const auto torch = scratch_.write(".cache/torch/hub/checkpoints/esm2_t36_3B_UR50D.pt", "x");
  for (const char* name : {"esm2-3b", "esm2-3b-fair", "esm2_t36_3B_UR50D.pt"}) {
    EXPECT_EQ(esm2(name), torch) << name;
  }
  const auto snapshot = add_snapshot("facebook--esm2_t36_3B_UR50D");
  EXPECT_EQ(esm2("esm2-3b"), snapshot);
  EXPECT_EQ(esm2("esm2-3b-fair"), torch);
  EXPECT_EQ(error_of([&] { esm2("300"); }), ErrorKind::kWeightsMissing);
}

TEST_F(Locate, ALinkThatLeadsNowhereIsNamed) {
  const auto link = add_snapshot("zhihan1996--DNABERT-S") / "pytorch_model.bin";
  std::filesystem::create_symlink("../../blobs/f3cf", link);
  std::string message;
  EXPECT_EQ(error_of([&] { is_model_file(link); }, &message), ErrorKind::kWeightsMissing);
  EXPECT_THAT(message, HasSubstr(link.string() + ": "));
  EXPECT_THAT(message, HasSubstr("the path is a link to ../../blobs/f3cf, which does not exist"));
  EXPECT_FALSE(is_model_file(link.parent_path() / "model.safetensors"));
}

TEST_F(Locate, TheLogListsEveryPlaceAndTheErrorNone) {
  std::string logged;
  send_log_to([&](LogLevel, std::string_view text) { logged += text; });
  std::string message;
  EXPECT_EQ(error_of([&] { esm2("esm2_t36_3B"); }, &message), ErrorKind::kWeightsMissing);
  send_log_to({});
  EXPECT_EQ(message, "model not found: \"esm2_t36_3B\"");
  for (const char* place :
       {"models/esm2_t36_3B,", "models/esm2_t36_3B_UR50D,", "models/facebook/esm2_t36_3B_UR50D",
        "models/esm2-3b,", ".cache/huggingface/hub/models--facebook--esm2_t36_3B_UR50D/refs/main",
        ".cache/torch/hub/checkpoints/esm2_t36_3B_UR50D.pt",
        ".cache/virnucpro/models/esm2_t36_3B_UR50D"}) {
    EXPECT_THAT(logged, HasSubstr(place));
  }
}

TEST_F(Locate, ASnapshotOutsideTheCacheIsRefused) {
  scratch_.write(".cache/huggingface/hub/models--zhihan1996--DNABERT-S/refs/main", "../../etc");
  EXPECT_EQ(error_of([&] { locate_model(ModelFamily::kDnabert, "dnabert-s", lookup_); }),
            ErrorKind::kWeightsFormat);
}

}  // namespace
}  // namespace virnucpro

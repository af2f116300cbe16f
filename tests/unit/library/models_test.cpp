#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
#include <virnucpro/virnucpro.hpp>

#include "unit/library/memory.hpp"

// Tests only what a user of the library sees: no header of src/ is included.
namespace {

using virnucpro::Analysis;
using virnucpro::Embeddings;
using virnucpro::Exception;
using virnucpro::Models;
using virnucpro::ScoredSequence;

Models::Options tiny() {
  Models::Options options;
  options.dnabert_s = "synthetic:dnabert-s-tiny";
  options.esm2 = "synthetic:esm2_tiny";
  options.classifier = "synthetic";
  options.chunk_size = 60;
  options.threads = 2;
  options.rna = Models::Rna::original;  // "acgun" is among the sequences
  return options;
}

std::string random_letters(unsigned seed, std::size_t length) {
  std::mt19937 random(seed);
  std::string letters;
  while (letters.size() < length) letters += "ACGT"[random() % 4];
  return letters;
}

// Owns the texts that a call's views refer to.
struct ModelsOfSequences : testing::Test {
  const std::vector<std::string> letters{random_letters(1, 500), "", "acgun", "TAATAATAA",
                                         random_letters(2, 61)};
  const std::vector<std::string_view> views{letters.begin(), letters.end()};
};

// All scores, to compare two results.
std::vector<std::pair<float, float>> scores_of(const std::vector<ScoredSequence>& sequences) {
  std::vector<std::pair<float, float>> scores;
  for (const auto& sequence : sequences) {
    for (const auto& chunk : sequence.chunks) {
      for (const auto& frame : chunk.frames) scores.emplace_back(frame.others, frame.virus);
    }
  }
  return scores;
}

template <typename Work>
std::string thrown_name(const Work& work) {
  try {
    work();
  } catch (const Exception& error) {
    virnucpro::no_memory = false;
    EXPECT_NE(std::string(error.what()), "");
    EXPECT_NE(error.remedy(), "");
    EXPECT_GT(error.exit_code(), 0);
    return std::string(error.name());
  }
  return "nothing was thrown";
}

constexpr int kHangs = -1;

// The exit code of a child process that does `work`, whose result it is.
int exit_code_of_child(const std::function<int()>& work) {
  constexpr auto kLongest = std::chrono::seconds(20);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - start > kLongest) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return kHangs;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// True if a call is refused because a child makes it.
template <typename Work>
bool is_refused_in_child(const Work& work) {
  try {
    work();
  } catch (const Exception& error) {
    return error.name() == "usage" &&
           std::string_view(error.what()).find("opened before fork()") != std::string_view::npos;
  }
  return false;
}

// Ends a child as soon as all that was made after it is gone.
struct EndsChild {
  static constexpr int kCode = 9;
  const pid_t parent = ::getpid();
  EndsChild() = default;
  ~EndsChild() {
    if (::getpid() != parent) ::_exit(kCode);
  }
  EndsChild(const EndsChild&) = delete;
  EndsChild& operator=(const EndsChild&) = delete;
};

TEST_F(ModelsOfSequences, RoundAsTheProgramDoes) {
  const auto usual = scores_of(Models(tiny()).classify(views));
  std::fesetround(FE_UPWARD);
  const auto upward = scores_of(Models(tiny()).classify(views));
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(upward, usual);
  EXPECT_EQ(after, FE_UPWARD);
}

TEST(AnException, HasTheAdviceOfItsCause) {
  const std::filesystem::path link = std::filesystem::path(::testing::TempDir()) / "to_nowhere";
  std::filesystem::remove(link);
  std::filesystem::create_symlink("nowhere", link);
  Models::Options options = tiny();
  options.esm2 = link;
  try {
    static_cast<void>(Models(options));
    FAIL();
  } catch (const Exception& error) {
    EXPECT_NE(error.remedy().find("link"), std::string_view::npos) << error.remedy();
  }
}

TEST_F(ModelsOfSequences, GiveTheSameNumbersHoweverTheyAreAsked) {
  const Models models(tiny());
  Models::Options other = tiny();
  other.threads = 1;
  other.token_budget = 50;
  const Analysis both = Models(other).embed_and_classify(views);
  const Embeddings embeddings = models.embed(views);
  const auto scores = scores_of(models.classify(views));
  EXPECT_EQ(scores_of(both.scores), scores);
  EXPECT_EQ(both.embeddings.values, embeddings.values);
  EXPECT_EQ(embeddings.frames.size(), scores.size());
  EXPECT_EQ(embeddings.values.size(), embeddings.frames.size() * embeddings.width());
  EXPECT_GT(std::set(scores.begin(), scores.end()).size(), 5U);
}

TEST_F(ModelsOfSequences, AnswerForEverySequenceInItsPlace) {
  const Models models(tiny());
  const Analysis all = models.embed_and_classify(views);
  ASSERT_EQ(all.scores.size(), views.size());
  std::size_t row = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Analysis alone = models.embed_and_classify({views[i]});
    EXPECT_EQ(scores_of({all.scores[i]}), scores_of(alone.scores));
    for (std::size_t frame = 0; frame < alone.embeddings.frames.size(); ++frame, ++row) {
      EXPECT_EQ(all.embeddings.frames[row].sequence, i);
      EXPECT_EQ(all.embeddings.frames[row].chunk, alone.embeddings.frames[frame].chunk);
      EXPECT_EQ(all.embeddings.frames[row].reading, alone.embeddings.frames[frame].reading);
      const std::size_t width = alone.embeddings.width();
      EXPECT_TRUE(std::equal(alone.embeddings.row(frame), alone.embeddings.row(frame) + width,
                             all.embeddings.row(row)));
    }
  }
  EXPECT_EQ(row, all.embeddings.frames.size());
}

TEST_F(ModelsOfSequences, RefuseRnaOrReadItAsDna) {
  std::string rna = letters[0];
  for (char& letter : rna) letter = letter == 'T' ? 'u' : letter;
  Models::Options options = tiny();
  options.rna = Models::Rna::refuse;
  EXPECT_EQ(thrown_name([&] { Models(options).classify({rna}); }), "input-rna");
  EXPECT_EQ(Models(options).classify({letters[0]}).size(), 1U);
  options.rna = Models::Rna::as_dna;
  EXPECT_EQ(scores_of(Models(options).classify({rna})),
            scores_of(Models(tiny()).classify({letters[0]})));
}

TEST_F(ModelsOfSequences, ReadCodonsByTheirCode) {
  Models::Options options = tiny();
  options.genetic_code = 4;
  EXPECT_GT(scores_of(Models(options).classify(views)).size(),
            scores_of(Models(tiny()).classify(views)).size());
  options.genetic_code = 2;
  EXPECT_EQ(thrown_name([&] { Models models(options); }), "usage");
}

TEST_F(ModelsOfSequences, SayWhereChunksLieAndAddThemUp) {
  const auto scored = Models(tiny()).classify(views);
  ASSERT_EQ(scored[0].chunks.size(), 9U);
  EXPECT_EQ(scored[0].chunks.front().begin, 0U);
  EXPECT_EQ(scored[0].chunks.front().end, 60U);
  EXPECT_EQ(scored[0].chunks.back().end, 500U);
  std::size_t with_frames = 0;
  for (const auto& chunk : scored[0].chunks) {
    float virus = 0;
    for (const auto& frame : chunk.frames) virus = std::max(virus, frame.virus);
    EXPECT_EQ(chunk.virus, virus);
    EXPECT_EQ(chunk.is_virus, !chunk.frames.empty() && chunk.virus >= chunk.others);
    if (!chunk.frames.empty()) ++with_frames;
  }
  EXPECT_EQ(scored[0].chunks_scored, with_frames);
  EXPECT_TRUE(scored[0].is_virus(0));
  EXPECT_TRUE(scored[1].chunks.empty());
  EXPECT_FALSE(scored[1].is_virus(0));
}

TEST_F(ModelsOfSequences, AnswerSeveralThreads) {
  const Models models(tiny());
  const auto expected = scores_of(models.classify(views));
  std::vector<std::vector<std::pair<float, float>>> answers(3);
  std::vector<std::thread> threads;
  threads.reserve(answers.size());
  for (auto& answer : answers) {
    threads.emplace_back([&] { answer = scores_of(models.classify(views)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, expected);
}

TEST_F(ModelsOfSequences, GoOnAfterAnErrorAndAMove) {
  Models models(tiny());
  const auto expected = scores_of(models.classify(views));
  // Only its size is read.
  const std::string_view endless(letters[0].data(), std::size_t{1} << 31U);
  EXPECT_EQ(thrown_name([&] { models.classify({views[0], endless}); }), "input-too-long");
  const Models moved(std::move(models));
  EXPECT_EQ(scores_of(moved.classify(views)), expected);
}

TEST_F(ModelsOfSequences, RefuseTheCallsOfAChild) {
  const Models models(tiny());
  const auto expected = scores_of(models.classify(views));
  EXPECT_EQ(exit_code_of_child([&] {
              const bool refused = is_refused_in_child([&] { models.classify(views); }) &&
                                   is_refused_in_child([&] { models.embed(views); }) &&
                                   is_refused_in_child([&] { models.embed_and_classify(views); });
              return refused && models.description().at("precision") == "fp32" ? 0 : 1;
            }),
            0);
  EXPECT_EQ(scores_of(models.classify(views)), expected);
}

TEST_F(ModelsOfSequences, RefuseTheCallOfAChildThatWasBornInACall) {
  const Models models(tiny());
  const std::vector<std::string_view> many(200, views[0]);
  std::thread parent([&] { models.classify(many); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(exit_code_of_child(
                [&] { return is_refused_in_child([&] { models.classify(views); }) ? 0 : 1; }),
            0);
  parent.join();
}

TEST_F(ModelsOfSequences, AreDestroyedInAChild) {
  Models models(tiny());
  Models others(tiny());
  EXPECT_EQ(exit_code_of_child([&] {
              models = std::move(others);
              const Models gone(std::move(models));
              return 0;
            }),
            0);
}

TEST(Models, LetAChildExit) {
  static const EndsChild kLast;
  static const Models kModels(tiny());
  EXPECT_EQ(exit_code_of_child([&] {
              std::exit(0);  // NOLINT(concurrency-mt-unsafe): a child has one thread
              return 1;
            }),
            EndsChild::kCode);
}

#ifndef VIRNUCPRO_SANITIZES_THREADS  // its children of processes with threads may start none
TEST_F(ModelsOfSequences, CanBeOpenedInAChild) {
  const Models models(tiny());
  const auto expected = scores_of(models.classify(views));
  EXPECT_EQ(exit_code_of_child(
                [&] { return scores_of(Models(tiny()).classify(views)) == expected ? 0 : 1; }),
            0);
}
#endif

TEST_F(ModelsOfSequences, ThrowNothingElseWhereMemoryEnds) {
  const Models models(tiny());
  const auto expected = scores_of(models.classify(views));
  EXPECT_EQ(thrown_name([&] {
              virnucpro::no_memory = true;
              models.classify(views);
            }),
            "out-of-memory");
  EXPECT_EQ(scores_of(models.classify(views)), expected);
}

TEST_F(ModelsOfSequences, EmbedWithoutAClassifier) {
  Models::Options options = tiny();
  options.classifier.clear();
  const Models models(options);
  EXPECT_EQ(models.embed(views).values, Models(tiny()).embed(views).values);
  EXPECT_EQ(thrown_name([&] { models.classify(views); }), "usage");
  EXPECT_EQ(thrown_name([&] { models.embed_and_classify(views); }), "usage");
}

TEST(Models, NameWhatIsWrong) {
  const auto opened = [](const auto& change) {
    Models::Options options = tiny();
    change(options);
    return thrown_name([&] { const Models models(options); });
  };
  EXPECT_EQ(opened([](auto& options) { options.chunk_size = 0; }), "usage");
  EXPECT_EQ(opened([](auto& options) { options.threads = 1U << 20U; }), "usage");
  EXPECT_EQ(opened([](auto& options) { options.token_budget = 0; }), "usage");
  EXPECT_EQ(opened([](auto& options) { options.esm2 = "/nonexistent/esm2"; }), "weights-missing");
  EXPECT_EQ(opened([](auto& options) { options.share_dir = "/nonexistent"; }), "weights-missing");
}

TEST(Models, DescribeThemselves) {
  const Models models(tiny());
  EXPECT_EQ(models.description().at("synthetic_weights"), "true");
  EXPECT_EQ(models.description().at("precision"), "fp32");
  EXPECT_NE(virnucpro::version(), "");
}

}  // namespace

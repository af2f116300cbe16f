#include "sequence/file_source.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "sequence/started_source.hpp"
#include "unit/sequence/compressed_file.hpp"
#include "unit/sequence/memory_source.hpp"
#include "unit/temp_dir.hpp"

namespace virnucpro {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBgzfEnd{
    "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28};

// Letters that do not compress well, so that cuts hit many kinds of places.
std::string sample(std::size_t size) {
  std::string text = ">sample\n";
  std::uint32_t state = 1;
  while (text.size() + 1 < size) {
    state = state * 1664525U + 1013904223U;
    text += "ACGT"[state >> 30U];
  }
  return text + "\n";
}

struct Outcome {
  std::string text;
  std::optional<Error> error;
};

Outcome read_all(const std::string& path) {
  const Cancel cancel;
  Outcome outcome;
  outcome.error = caught([&] {
    FileSource source(path, cancel);
    source.require_end_marker();
    std::array<char, 1000> buffer{};
    while (const std::size_t size = source.read(buffer)) outcome.text.append(buffer.data(), size);
    EXPECT_EQ(source.read(buffer), 0U) << "after the end";
  });
  return outcome;
}

Outcome read_bytes(const std::string& content) {
  static const TestFolder kFolder;  // one folder for the thousands of files of these tests
  return read_all(kFolder.write("input", content));
}

Outcome read_through_pipe(const std::string& content) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
  Outcome outcome = read_all(path);
  writer.join();
  return outcome;
}

void expect_text(const std::string& content, const std::string& text) {
  for (const auto& outcome : {read_bytes(content), read_through_pipe(content)}) {
    EXPECT_FALSE(outcome.error) << outcome.error->what();
    EXPECT_EQ(outcome.text, text);
  }
}

void expect_error(const std::string& content, ErrorKind kind) {
  for (const auto& outcome : {read_bytes(content), read_through_pipe(content)}) {
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->kind(), kind) << outcome.error->what();
  }
}

TEST(FileSource, PlainGzipAndBgzf) {
  const std::string text = sample(200'000);
  expect_text(text, text);
  expect_text(gzip(text), text);
  expect_text(compressed({text}, "w"), text);
  expect_text(compressed({text}, "wg0"), text);
  expect_text("", "");
  expect_text(gzip(""), "");
  expect_text(compressed({}, "w"), "");
}

TEST(FileSource, SeveralMembers) {
  const std::string a = sample(70'000);
  const std::string b = sample(500);
  const std::string bgzf_a = compressed({a}, "w");
  const std::string bgzf_b = compressed({b.substr(0, 100), b.substr(100)}, "w");
  ASSERT_TRUE(bgzf_a.ends_with(kBgzfEnd));
  expect_text(gzip(a) + gzip(b), a + b);
  expect_text(bgzf_a + bgzf_b, a + b);
  expect_text(bgzf_a + gzip(b), a + b);
  expect_text(gzip(a) + bgzf_b, a + b);
}

TEST(FileSource, ZerosBehindTheEndArePadding) {
  const std::string text = sample(70'000);
  for (const std::string& content :
       {gzip(text), compressed({text}, "w"), gzip(text) + compressed({}, "w")}) {
    for (const std::size_t size : {1U, 2U, 17U, 18U, 512U, 30'000U}) {
      const std::string padding(size, '\0');
      expect_text(content + padding, text);
      for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
        std::string rubbish = padding;
        rubbish[at] = 'x';
        expect_error(content + rubbish, ErrorKind::kInputCorrupt);
      }
    }
  }
}

// Padding that begins at any byte of the window in which the file is read.
TEST(FileSource, PaddingAcrossWindows) {
  constexpr std::size_t kWindow = 256U << 10U;
  const std::string end = gzip("");
  for (std::size_t before = kWindow - 40; before < kWindow + 4; ++before) {
    // A member whose comment fills the space before.
    std::string member = end;
    member[3] = '\x10';
    member.insert(10, std::string(before - end.size() - 1, 'c') + '\0');
    ASSERT_EQ(member.size(), before);
    expect_text(member + std::string(3, '\0'), "");
    expect_error(member + std::string("\0\0x", 3), ErrorKind::kInputCorrupt);
  }
}

TEST(FileSource, AMissingEndMarkerMayBeOnlyTold) {
  const std::string text = sample(70'000);
  const std::string whole = compressed({text}, "w");
  const TestFolder folder;
  const Cancel cancel;
  for (const bool is_cut : {false, true}) {
    const std::string kept = whole.substr(0, whole.size() - (is_cut ? kBgzfEnd.size() : 0));
    FileSource source(folder.write("input", kept), cancel);
    std::string read(text.size() + 1, '\0');
    std::size_t size = 0;
    while (const std::size_t more = source.read(std::span(read).subspan(size))) size += more;
    EXPECT_EQ(size, text.size());
    EXPECT_EQ(source.lacks_end_marker(), is_cut);
  }
}

// A gzip file has no end marker: only a cut between two members leaves a complete file.
TEST(FileSource, GzipCutAtEveryByte) {
  const std::string first = gzip(sample(300));
  const std::string content = first + gzip(sample(400));
  for (std::size_t size = 0; size < content.size(); ++size) {
    const Outcome outcome = read_bytes(content.substr(0, size));
    if (size == 0 || size == first.size()) {
      EXPECT_FALSE(outcome.error) << "cut to " << size;
      continue;
    }
    ASSERT_TRUE(outcome.error) << "cut to " << size;
    EXPECT_EQ(outcome.error->kind(), ErrorKind::kInputTruncated) << "cut to " << size;
  }
}

// A stored block contains its text as it is, so the rest after a cut is known exactly. (A file cut
// within its first 18 bytes is not inflated at all.)
TEST(FileSource, GivesEveryByteBeforeACut) {
  const std::string text = sample(100);
  const std::string header{"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x64\0\x9b\xff", 15};
  for (std::size_t size = 18; size <= header.size() + text.size(); ++size) {
    const std::string cut = (header + text).substr(0, size);
    for (const auto& outcome : {read_bytes(cut), read_through_pipe(cut)}) {
      ASSERT_TRUE(outcome.error) << "cut to " << size;
      EXPECT_EQ(outcome.error->kind(), ErrorKind::kInputTruncated) << "cut to " << size;
      EXPECT_EQ(outcome.text, text.substr(0, std::min(size, text.size() + 15) - 15));
    }
  }
}

TEST(FileSource, GivesTheTextBeforeTheDamage) {
  const std::string text = sample(200'000);
  const std::string packed = gzip(text);
  const std::string half = read_bytes(packed.substr(0, packed.size() / 2)).text;
  EXPECT_TRUE(text.starts_with(half));
  EXPECT_NEAR(static_cast<double>(half.size()), 100'000.0, 5'000.0);
  EXPECT_EQ(read_bytes(packed.substr(0, packed.size() - 8)).text, text);  // without its trailer
  EXPECT_EQ(read_bytes(packed + "this is no gzip member, but long enough").text, text);
  const std::string blocks = compressed({text.substr(0, 100), text.substr(100, 50)}, "w");
  EXPECT_EQ(read_bytes(blocks.substr(0, blocks.size() - kBgzfEnd.size() - 1)).text,
            text.substr(0, 100));
}

TEST(FileSource, BgzfCutAtEveryByte) {
  const std::string text = sample(400);
  const std::string content = compressed({text.substr(0, 150), text.substr(150)}, "w");
  for (std::size_t size = 1; size < content.size(); ++size) {
    const Outcome outcome = read_bytes(content.substr(0, size));
    ASSERT_TRUE(outcome.error) << "cut to " << size;
    EXPECT_EQ(outcome.error->kind(), ErrorKind::kInputTruncated) << "cut to " << size;
  }
}

// Sizes of text and buffer around htslib's own block size of 65,536.
TEST(FileSource, CutsAroundTheBlockSize) {
  for (const std::size_t text_size : {65'535U, 65'536U, 65'537U, 131'072U}) {
    for (const char* mode : {"wg", "wg0", "w"}) {
      const std::string content = compressed({sample(text_size)}, mode);
      for (const std::size_t missing : {1U, 4U, 7U, 8U, 9U, 27U, 28U, 29U, 65U}) {
        expect_error(content.substr(0, content.size() - missing), ErrorKind::kInputTruncated);
      }
      expect_error(content.substr(0, content.size() / 2), ErrorKind::kInputTruncated);
    }
  }
}

// Bytes without a check (time, extra flags, operating system, ISIZE of BGZF blocks) may change; the
// text may not.
TEST(FileSource, AChangedByteIsAnErrorOrChangesNothing) {
  const std::string text = sample(300);
  for (const char* mode : {"wg", "w"}) {
    const std::string content = compressed({text.substr(0, 100), text.substr(100)}, mode);
    for (std::size_t i = 2; i < content.size(); ++i) {  // without its magic it has another format
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string changed = content;
        changed[i] = static_cast<char>(changed[i] ^ flip);
        const Outcome outcome = read_bytes(changed);
        EXPECT_TRUE(outcome.error || outcome.text == text) << mode << " byte " << i;
      }
    }
  }
}

TEST(FileSource, WrongChecksumsAndTrailingRubbish) {
  const std::string member = gzip(sample(1000));
  std::string wrong_crc = member;
  wrong_crc[member.size() - 8] ^= 1;
  std::string wrong_size = member;
  wrong_size[member.size() - 4] ^= 1;
  expect_error(wrong_crc, ErrorKind::kInputCorrupt);
  expect_error(wrong_size, ErrorKind::kInputCorrupt);
  expect_error(member + "this is no gzip member, but long enough", ErrorKind::kInputCorrupt);
  const std::string blocks = compressed({sample(1000)}, "w");
  expect_error(blocks + "this is no BGZF block, but long enough", ErrorKind::kInputCorrupt);
  std::string block_crc = blocks;
  block_crc[blocks.size() - kBgzfEnd.size() - 8] ^= 1;
  expect_error(block_crc, ErrorKind::kInputCorrupt);
  for (const std::string& whole : {member, blocks}) {
    EXPECT_EQ(read_bytes(whole + "this is no member, but long enough").error->detail(),
              "bytes that are not gzip follow the end of the compressed stream");
  }
}

TEST(FileSource, MissingAndUnreadable) {
  const TestFolder folder;
  EXPECT_EQ(read_all(folder.path("none")).error->kind(), ErrorKind::kInputMissing);
  EXPECT_EQ(read_all("http://localhost/x.fa").error->kind(), ErrorKind::kInputMissing);
  EXPECT_EQ(read_all("").error->kind(), ErrorKind::kInputMissing);
  const Outcome directory = read_all(folder.path(""));
  EXPECT_EQ(directory.error->kind(), ErrorKind::kInputRead);
  EXPECT_EQ(directory.error->detail(), "it is a directory");
}

// Reads a file of this content, which is changed after the first part of its text.
std::optional<Error> read_changing(const std::string& content,
                                   const std::function<void(const fs::path&)>& change) {
  const TestFolder folder;
  const std::string path = folder.write("input", content);
  const Cancel cancel;
  return caught([&] {
    FileSource source(path, cancel);
    std::array<char, 1000> buffer{};
    source.read(buffer);
    change(path);
    while (source.read(buffer) != 0) continue;
  });
}

TEST(FileSource, AFileThatChangesWhileItIsReadHasNoText) {
  const std::string text = sample(400'000);
  const std::vector<std::function<void(const fs::path&)>> changes{
      [](const fs::path& path) { fs::resize_file(path, fs::file_size(path) / 2); },
      [](const fs::path& path) { fs::resize_file(path, 0); },
      [](const fs::path& path) { std::ofstream(path, std::ios::app) << "more"; },
      [](const fs::path& path) {
        fs::last_write_time(path, fs::last_write_time(path) + std::chrono::hours(1));
      },
      [](const fs::path& path) {
        fs::copy(path, path.string() + ".copy");
        fs::rename(path.string() + ".copy", path);
      }};
  for (const std::string& content : {text, gzip(text), compressed({text}, "w")}) {
    for (std::size_t change = 0; change < changes.size(); ++change) {
      const auto error = read_changing(content, changes[change]);
      ASSERT_TRUE(error) << change;
      EXPECT_EQ(error->kind(), ErrorKind::kInputChanged) << error->what();
    }
    EXPECT_FALSE(read_changing(content, [](const fs::path& path) { fs::remove(path); }));
  }
}

// Where stdin is a file of which another program has read a part.
TEST(FileSource, StdinMayBeginWithinAFile) {
  const TestFolder folder;
  const UniqueFd fd = open_to_read(folder.write("input", "first line\n>a\nACGT\n"));
  ASSERT_EQ(::lseek(fd.get(), 11, SEEK_SET), 11);
  const UniqueFd kept(::dup(STDIN_FILENO));
  ::dup2(fd.get(), STDIN_FILENO);
  const Outcome outcome = read_all("-");
  ::dup2(kept.get(), STDIN_FILENO);
  EXPECT_FALSE(outcome.error) << outcome.error->what();
  EXPECT_EQ(outcome.text, ">a\nACGT\n");
}

TEST(FileSource, Cancelled) {
  const TestFolder folder;
  const std::string path = folder.write("input", ">a\nA\n");
  Cancel cancel;
  FileSource source(path, cancel);
  cancel.request(0);
  std::array<char, 10> buffer{};
  EXPECT_THROW(source.read(buffer), Error);
}

// A pipe that nobody opens to write: a cancellation ends the wait for its first byte.
TEST(FileSource, CancelledWhileWaiting) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Cancel cancel;
  std::thread interrupter([&] { cancel.request(0); });
  EXPECT_THROW(FileSource(path, cancel), Error);
  interrupter.join();
}

// A pipe that is silent later on.
TEST(FileSource, CancelledWhileWaitingForMore) {
  const TestFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const UniqueFd writer(::open(path.c_str(), O_RDWR));
  const std::string text = sample(100);
  ASSERT_EQ(::write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  Cancel cancel;
  FileSource source(path, cancel);
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.request(0);
  });
  std::array<char, 1000> buffer{};
  const auto read_on = [&] {
    while (source.read(buffer) != 0) continue;
  };
  EXPECT_THROW(read_on(), Error);
  interrupter.join();
}

// Gives 8 bytes, then fails.
class FailingSource : public ByteSource {
 public:
  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = text_.read(buffer);
    if (size == 0) throw Error(ErrorKind::kInputRead, "failed");
    return size;
  }

 private:
  MemorySource text_{"ACGTACGT"};
};

TEST(StartedSource, GivesItsStartAndTheRestInOneRead) {
  MemorySource text("ACGTACGTAC");
  StartedSource source(text);
  EXPECT_EQ(source.start(), "ACGTAC");
  std::string got(12, '.');
  EXPECT_EQ(source.read(got), 10U);
  EXPECT_EQ(got, "ACGTACGTAC..");
  EXPECT_EQ(source.read(got), 0U);
}

TEST(StartedSource, FailsAfterTheTextBeforeTheFailure) {
  FailingSource text;
  StartedSource source(text);
  std::string got(6, '.');
  EXPECT_EQ(source.read(got), 6U);
  EXPECT_EQ(source.read(got), 2U);
  EXPECT_THROW(source.read(got), Error);
}

}  // namespace
}  // namespace virnucpro

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/host.hpp"
#include "base/steady_file.hpp"
#include "measure/compare/embedding_hdf5.hpp"
#include "measure/compare/packed_reader.hpp"
#include "sequence/child_process.hpp"
#include "sequence/system_call_filter.hpp"

namespace virnucpro {
namespace {

constexpr std::size_t kStretchBytes = 1U << 20U;  // bytes of numbers read at once
// What the child may use for one answer: bytes of memory beyond this process's, and CPU seconds.
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMostSeconds = 120;
// Limits of an answer: bytes, and numbers per row. A crafted file may control the child process.
constexpr std::uint64_t kMostAnswer = std::uint64_t{256} << 20U;
constexpr std::uint64_t kWidestRow = std::uint64_t{1} << 20U;
constexpr std::uint64_t kIds = ~std::uint64_t{0};  // in Request::dataset: asks for ids

// Asks for rows [first, first + count) of a dataset, or for their ids.
struct Request {
  std::uint64_t dataset = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// The start of an answer. `size` bytes follow: the data, or the reason of a failure.
struct AnswerHead {
  std::uint64_t size = 0;
  std::uint64_t failed = 0;
};

constexpr const char* kAnswer = "the answer of the process that reads HDF5";

// --- in the reading process ----------------------------------------------------------------------

std::string describe(const Hdf5Rows& file, bool is_filtered) {
  ByteWriter answer;
  answer.varint(is_filtered ? 1 : 0).varint(file.rows()).varint(file.datasets().size());
  for (const EmbeddingDataset& dataset : file.datasets()) {
    answer.text(dataset.name).varint(dataset.width);
  }
  return answer.bytes();
}

std::string answer_to(const Request& request, Hdf5Rows& file) {
  if (request.dataset == kIds) {
    ByteWriter answer;
    for (const std::string& id : file.ids(request.first, request.count)) answer.text(id);
    return answer.bytes();
  }
  std::vector<double> values(request.count * file.datasets().at(request.dataset).width);
  file.read(request.dataset, request.first, request.count, values);
  return std::string(as_text(std::as_bytes(std::span(values))));
}

bool send_answer(const std::string& bytes, bool failed) {
  const AnswerHead head{.size = bytes.size(), .failed = failed ? 1U : 0U};
  return write_all(STDOUT_FILENO, std::string(bytes_of(head)) + bytes) == 0;
}

// Receives a whole request. Returns false after the last request.
bool receive_request(Request& request) {
  return ::recv(STDIN_FILENO, &request, sizeof(request), MSG_WAITALL) ==
         static_cast<ssize_t>(sizeof(request));
}

void answer_requests(const std::string& path, std::uint64_t bytes) {
  H5open();  // lets HDF5 read its settings before system calls are filtered
  const bool is_filtered = filter_system_calls();
  try {
    const auto file = open_hdf5_rows(path, ChildProcess::kFile, bytes);
    Request request;
    bool heard = send_answer(describe(*file, is_filtered), false);
    while (heard && receive_request(request)) heard = send_answer(answer_to(request, *file), false);
  } catch (const Error& error) {
    send_answer(error.detail(), true);
  }
}

// --- in the requesting process -------------------------------------------------------------------

class Hdf5Process : public EmbeddingReader {
 public:
  Hdf5Process(const std::filesystem::path& path, const Cancel& cancel)
      : path_(path.string()), cancel_(cancel) {
    const SteadyFile readable(path);  // throws the same errors as for any other file
    const UniqueFd file = open_to_read(path);
    if (file.get() < 0) {
      throw Error(kind_of_reading(errno), Place{.file = path_}, errno_text(errno));
    }
    const std::uint64_t bytes = readable.size();
    socket_ = process_.start(
        "read HDF5", [this, bytes] { answer_requests(path_, bytes); }, file.get());
    allow();
    const std::string description = receive();
    PackedReader answer(description, kAnswer);
    if (answer.varint() == 0) say_unfiltered();
    rows_ = answer.varint();
    for (std::uint64_t more = answer.varint(); more > 0; --more) {
      EmbeddingDataset& dataset = datasets_.emplace_back();
      dataset.name = answer.text();
      dataset.width = answer.varint();
      if (dataset.width > kWidestRow)
        fail(fmt::format("the rows of dataset {} have {} numbers; the limit is {}", dataset.name,
                         dataset.width, kWidestRow));
    }
    stretches_.resize(datasets_.size());
  }

  const std::vector<EmbeddingDataset>& datasets() const override { return datasets_; }
  std::uint64_t rows() const override { return rows_; }

  std::string id(std::uint64_t row) override {
    if (row < first_id_ || row >= first_id_ + ids_.size()) read_ids(row);
    return ids_[row - first_id_];
  }

  // Reads a row. If rows are read in order, fetches up to kStretchBytes of rows at once.
  void read(std::size_t dataset, std::uint64_t row, std::span<double> out) override {
    Stretch& stretch = stretches_[dataset];
    if (row < stretch.begin || row >= stretch.end) fill(dataset, stretch, row);
    const std::size_t size = out.size() * sizeof(double);
    if (size == 0) return;
    std::memcpy(out.data(), stretch.bytes.data() + (row - stretch.begin) * size, size);
  }

 private:
  struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string bytes{};
  };

  void allow() { process_.allow(data_bytes() + kMostMemory, kMostSeconds); }

  void fill(std::size_t dataset, Stretch& stretch, std::uint64_t row) {
    const std::size_t bytes = sizeof(double) * std::max<std::size_t>(1, datasets_[dataset].width);
    const std::uint64_t most = std::max<std::uint64_t>(1, kStretchBytes / bytes);
    const std::uint64_t count = row == stretch.end ? std::min(most, rows_ - row) : 1;
    stretch.bytes = ask({.dataset = dataset, .first = row, .count = count});
    if (stretch.bytes.size() != count * datasets_[dataset].width * sizeof(double)) crashed();
    stretch.begin = row;
    stretch.end = row + count;
  }

  void read_ids(std::uint64_t row) {
    const std::uint64_t count = std::min(kIdsAtOnce, rows_ - row);
    const std::string bytes = ask({.dataset = kIds, .first = row, .count = count});
    PackedReader answer(bytes, kAnswer);
    ids_.clear();
    for (std::uint64_t k = 0; k < count; ++k) ids_.emplace_back(answer.text());
    first_id_ = row;
  }

  std::string ask(const Request& request) {
    const std::string_view bytes = bytes_of(request);
    allow();
    // send() does not block: the child has read all earlier requests. If the child is dead,
    // receive() throws.
    static_cast<void>(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
    return receive();
  }

  [[noreturn]] void fail(const std::string& detail) const {
    throw Error(memory_is_scarce() ? ErrorKind::kOutOfMemory : ErrorKind::kInputMalformed,
                Place{.file = path_}, detail);
  }

  [[noreturn]] void crashed() {
    const std::string misdeed = process_.misdeed();
    if (misdeed.empty()) {
      fail(fmt::format("HDF5 crashed on this file, or needed more than {} GiB of memory or {} s",
                       kMostMemory >> 30U, kMostSeconds));
    }
    throw Error(ErrorKind::kInputMalformed, Place{.file = path_}, "HDF5 " + misdeed);
  }

  std::string receive() {
    std::array<char, sizeof(AnswerHead)> bytes{};
    receive_all(bytes);
    const auto head = value_at<AnswerHead>({bytes.data(), bytes.size()});
    if (head.size > kMostAnswer)
      fail(
          fmt::format("the names of its datasets, or {} of its ids, take {} bytes; the limit is {}",
                      kIdsAtOnce, head.size, kMostAnswer));
    std::string answer;
    while (answer.size() < head.size) {  // in pieces: a crashed process may give a false size
      const std::size_t had = answer.size();
      answer.resize(had + std::min<std::uint64_t>(kStretchBytes, head.size - had));
      receive_all(std::span(answer).subspan(had));
    }
    if (head.failed == 0) return answer;
    fail(answer);
  }

  void receive_all(std::span<char> out) {
    while (!out.empty()) {
      cancel_.check();
      if (process_.wait(socket_.get(), POLLIN) == 0) continue;
      const ssize_t got = ::recv(socket_.get(), out.data(), out.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) crashed();
      out = out.subspan(static_cast<std::size_t>(got));
    }
  }

  const std::string path_;
  const Cancel& cancel_;
  ChildProcess process_;
  UniqueFd socket_;
  std::uint64_t rows_ = 0;
  std::vector<EmbeddingDataset> datasets_;
  std::vector<Stretch> stretches_;
  std::uint64_t first_id_ = 0;
  std::vector<std::string> ids_;
};

}  // namespace

bool is_hdf5(std::string_view beginning) {
  return beginning.starts_with("\x89HDF\r\n\x1a\n");
}

std::unique_ptr<EmbeddingReader> open_hdf5_embeddings(const std::filesystem::path& path,
                                                      const Cancel& cancel) {
  return std::make_unique<Hdf5Process>(path, cancel);
}

}  // namespace virnucpro

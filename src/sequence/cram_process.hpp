#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/cancel.hpp"
#include "base/file.hpp"
#include "sequence/byte_source.hpp"
#include "sequence/child_process.hpp"

namespace virnucpro {

// Runs decode_cram() in a process of its own. On a crafted file htslib may take any amount of
// memory, and some versions corrupt their memory or never end. The process has limits of memory and
// time, can do nothing but read and answer, and harms nothing else when it crashes. With each
// record it says how far it has read. So a container with a wrong count of records always fails at
// the same place.
class CramProcess : public ByteSource {
 public:
  // Returns the next part of the CRAM; empty at its end. Called after the previous part was sent.
  using Input = std::function<std::optional<std::string>()>;

  // `reference` is an indexed FASTA file, or empty. Errors: kInputRead, kOutOfMemory, those of
  // Cancel.
  CramProcess(const std::string& reference, Input input, const Cancel& cancel);

  // Limits the data memory that the process takes after its start, and its processor time from now
  // on. The process ends when it uses more.
  void allow(std::uint64_t bytes, std::uint64_t seconds);

  // Reads the frames. An early end means that the process crashed or gave up. Errors: those of
  // Cancel.
  std::size_t read(std::span<char> buffer) override;

  // Returns ChildProcess::misdeed(). Call it after the end.
  std::string misdeed() { return process_.misdeed(); }

 private:
  void read_hello();
  void refill();
  void send_some();

  Input input_;
  const Cancel& cancel_;
  ChildProcess process_;
  UniqueFd socket_;
  std::uint64_t base_ = 0;  // the process's data memory at its start
  std::string given_;
  std::size_t taken_ = 0;  // bytes of given_ that were sent
  bool ended_ = false;     // the input has ended
};

}  // namespace virnucpro

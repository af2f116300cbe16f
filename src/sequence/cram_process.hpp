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

// Runs decode_cram() in a process of its own, because on a crafted file htslib may use any amount
// of memory, corrupt its memory or never end. The process has limits of memory and time, may only
// read its input and write its output, and harms nothing else when it crashes. Each frame says how
// many bytes of the CRAM were read before it, so a container's wrong count of records is always
// found at the same record.
class CramProcess : public ByteSource {
 public:
  // Returns the next part of the CRAM; empty at the end. Is called after the previous part was
  // sent.
  using Input = std::function<std::optional<std::string>()>;

  // Starts the process. `reference` is the path of an indexed FASTA file, or empty. Errors:
  // kInputRead, kOutOfMemory, those of Cancel.
  CramProcess(const std::string& reference, Input input, const Cancel& cancel);

  // Limits the bytes of data memory that the process uses in addition to those at its start, and
  // its seconds of processor time from now on. Beyond these limits the process ends.
  void allow(std::uint64_t bytes, std::uint64_t seconds);

  // Reads the frames. If they end early, the process crashed or gave up. Errors: those of Cancel.
  std::size_t read(std::span<char> buffer) override;

  // Returns ChildProcess::misdeed(). Call it after read() has returned 0.
  std::string misdeed() { return process_.misdeed(); }

 private:
  void read_hello();
  void refill();
  void send_some();

  Input input_;
  const Cancel& cancel_;
  ChildProcess process_;
  UniqueFd socket_;
  std::uint64_t base_ = 0;  // bytes of the process's data memory at its start
  std::string given_;
  std::size_t taken_ = 0;  // bytes of given_ that were sent
  bool ended_ = false;     // the input has ended
};

}  // namespace virnucpro

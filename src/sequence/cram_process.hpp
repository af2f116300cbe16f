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

// decode_cram() in a process of its own. Given a crafted file htslib takes any amount of memory,
// and not every version leaves its memory whole, or ends: here it has as much memory and time as it
// is allowed, can open neither file nor socket once the reference is open, and takes nothing with
// it when it crashes. Before each record it says up to which byte it read: a container that counts
// its records wrongly is an error at the same place each time.
class CramProcess : public ByteSource {
 public:
  // The next part of the CRAM, empty at its end. Asked for when the last one was taken.
  using Input = std::function<std::optional<std::string>()>;

  // `reference` is an indexed FASTA file, or empty. Errors: kInputRead, kOutOfMemory, the
  // cancellation's.
  CramProcess(const std::string& reference, Input input, const Cancel& cancel);

  // Lets the process have so much data memory beyond what it began with, and from now on so many
  // seconds of a processor; it ends when it uses more.
  void allow(std::uint64_t bytes, std::uint64_t seconds) const;

  // The frames that come out. An end that comes early is the process's: it crashed or gave up.
  // Errors: the cancellation's.
  std::size_t read(std::span<char> buffer) override;

 private:
  void start(const std::string& reference);
  void read_hello();
  void refill();
  void send_some();

  Input input_;
  const Cancel& cancel_;
  ChildProcess process_;
  UniqueFd socket_;
  std::uint64_t base_ = 0;  // data memory that the process began with
  std::string given_;
  std::size_t taken_ = 0;  // of given_
  bool ended_ = false;     // the input
};

}  // namespace virnucpro

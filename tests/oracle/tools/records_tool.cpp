// records_tool < texts > records
//
// Reads each text (framed_texts.hpp) as predict reads a file. For each sequence of the text, prints
// its id, header and letters, each on a line that begins with "i", "h" or "l". After a text, prints
// ".", or "!" with the error's name and the number of the record at fault.
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <variant>

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "framed_texts.hpp"
#include "sequence/input_set.hpp"

namespace virnucpro {
namespace {

void print(const InputRecord& input) {
  fmt::print("i{}\nh{}\nl{}\n", input.id, input.record.header, input.record.letters);
}

void print(const InputEnd& /*end*/) {
  fmt::print(".\n");
}

void print(const InputFailure& failure) {
  fmt::print("!{} {}\n", failure.error.info().name, failure.error.place().record.value());
}

void print_records(const std::string& text) {
  const UniqueFd file(::memfd_create("text", MFD_CLOEXEC));
  if (const int error = write_all(file.get(), text); error != 0) {
    throw Error(ErrorKind::kOutputWrite, errno_text(error));
  }
  const Cancel cancel;
  InputSet inputs({.paths = {fmt::format("/proc/self/fd/{}", file.get())}}, cancel);
  while (const auto event = inputs.next()) {
    std::visit([](const auto& kind) { print(kind); }, *event);
  }
}

}  // namespace
}  // namespace virnucpro

int main() {
  try {
    while (const auto text = next_framed_text(std::cin)) virnucpro::print_records(*text);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

#pragma once

#include <string_view>

namespace virnucpro {

// A value of a fingerprint can become the name or path of a file, and a journal from another person
// can have any value. So Journal::fingerprint() checks each entry here for all commands.

// Returns why this program cannot have written the entry; empty if it can.
std::string_view why_no_entry(std::string_view key, std::string_view value);

}  // namespace virnucpro

#pragma once

#include <string_view>

namespace virnucpro {

// A fingerprint's entries become paths and names of files, and the journal may come from a
// stranger. Journal::fingerprint() checks each entry here, once for all commands.

// Returns why this program cannot have written the entry; empty if it can.
std::string_view why_no_entry(std::string_view key, std::string_view value);

}  // namespace virnucpro

#pragma once

#include <string_view>

namespace virnucpro {

// A fingerprint's entries become paths and names of files, and a journal may be a stranger's.
// Journal::fingerprint() checks each here, once for all commands.

// Returns why this program cannot have written the entry; empty if it can.
std::string_view why_no_entry(std::string_view key, std::string_view value);

}  // namespace virnucpro

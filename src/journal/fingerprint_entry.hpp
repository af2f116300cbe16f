#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace virnucpro {

// A value of a fingerprint can become the name or path of a file, and a journal from another person
// can have any value. So Journal::fingerprint() checks every entry with why_no_entry().

// Returns why this program cannot have written the entry; empty if it can.
std::string_view why_no_entry(std::string_view key, std::string_view value);

// Returns the key of an input's name as the user gave it; inputs count from 0.
std::string input_name_key(std::size_t index);

}  // namespace virnucpro

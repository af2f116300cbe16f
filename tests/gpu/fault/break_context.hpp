#pragma once

namespace virnucpro {

// A kernel writes to an invalid address, which makes the process's GPU context unusable.
void break_context();

}  // namespace virnucpro

#pragma once

namespace virnucpro {

// Starts a kernel that writes to an invalid address, so that the GPU context becomes unusable.
void break_context();

}  // namespace virnucpro

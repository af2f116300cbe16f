#pragma once

namespace virnucpro {

// Lets a kernel write where nothing is, which leaves this process' GPU context unusable.
void break_context();

}  // namespace virnucpro

#include "base/threads.hpp"

#include <pthread.h>

namespace virnucpro {

void name_thread(const char* name) {
  ::pthread_setname_np(::pthread_self(), name);
}

}  // namespace virnucpro

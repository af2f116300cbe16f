#!/bin/sh
# A compiler launcher for wgmma kernels: fails if ptxas serialised their products. They would be
# correct but slow, and ptxas only prints a note, even with warnings as errors.
messages=$("$@" 2>&1)
status=$?
[ -z "$messages" ] || printf '%s\n' "$messages" >&2
case $messages in
*'wgmma.mma_async instructions are serialized'*) exit 1 ;;
esac
exit $status

#!/bin/sh
# A compiler launcher for kernels of wgmma: runs the command, and fails if ptxas serialised their
# products. They would still be right, but slow; ptxas only mentions it, whatever is made an error.
messages=$("$@" 2>&1)
status=$?
[ -z "$messages" ] || printf '%s\n' "$messages" >&2
case $messages in
*'wgmma.mma_async instructions are serialized'*) exit 1 ;;
esac
exit $status

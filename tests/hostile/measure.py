"""Runs commands, one after the other, and reports how each ended: a line in, a line out.

In: SECONDS, FOLDER, COMMAND… with NUL between them; the command's output goes to FOLDER/stdout and
FOLDER/stderr. Out: wait status, peak resident KiB, whether the time ran out (0 or 1). This is a
separate, small process, because a child's peak memory includes that of its parent at the fork.
"""

import os
import signal
import sys


def output(descriptor, path):
    return os.POSIX_SPAWN_OPEN, descriptor, path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666


def measure(seconds, folder, *command):
    os.chdir(folder)
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), output(1, "stdout"),
        output(2, "stderr")])
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(int(seconds))
    _, status, usage = os.wait4(child, 0)
    is_late = signal.alarm(0) == 0
    return f"{status} {usage.ru_maxrss} {int(is_late)}"


for line in sys.stdin:
    print(measure(*line.rstrip("\n").split("\0")), flush=True)

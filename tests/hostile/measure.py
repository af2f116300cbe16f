"""Runs a command and writes how it ended: measure.py SECONDS REPORT COMMAND…

The report is one line: wait status, peak resident KiB; nothing when the time was up. Started as a
process of its own because a child's peak counts that of the process it was forked from, and this
one is small.
"""

import os
import signal
import sys


def main():
    seconds, report, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    child = os.posix_spawn(command[0], command, os.environ)

    def give_up(_number, _frame):
        os.kill(child, signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    _, status, usage = os.wait4(child, 0)
    signal.alarm(0)
    with open(report, "w", encoding="ascii") as file:
        file.write(f"{status} {usage.ru_maxrss}\n")


if __name__ == "__main__":
    main()

"""Prints a command's peak memory in bytes: peak.py COMMAND…

A child's ru_maxrss starts at the memory of its parent. So this is a separate process that imports
nothing large.
"""

import os
import subprocess
import sys


def main() -> int:
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    print(usage.ru_maxrss * 1024)
    return process.returncode


sys.exit(main())

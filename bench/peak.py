"""The most memory that a command ever held, in bytes: peak.py COMMAND…

A child's ru_maxrss begins with what its parent held when it started it, so this is a process of its
own that imports nothing large.
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

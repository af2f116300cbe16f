"""At which calls a test disturbs a run."""

import zlib

from harness import spread
from lengths import LENGTH, by_length


def points(count, most, *test):
    """At most so many of 1 … count, the first and the last among them; all in the long form. In the
    check form one of them: another for each test, which its parameters name, and the same each
    time."""
    chosen = spread(count, by_length(most, most, long=count))
    if LENGTH != "check":
        return chosen
    return [chosen[zlib.crc32(repr(test).encode()) % len(chosen)]]

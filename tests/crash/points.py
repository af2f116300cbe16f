"""The calls at which a test disturbs a run."""

import zlib

from harness import spread
from lengths import LENGTH, by_length


def points(count, most, *test):
    """At most `most` numbers from 1 to `count`, including the first and the last; all in the long
    form; none if `count` is 0. In the check form only one, which depends on the test's parameters,
    but is the same each time."""
    chosen = spread(count, by_length(most, most, long=count))
    if LENGTH != "check" or not chosen:
        return chosen
    return [chosen[zlib.crc32(repr(test).encode()) % len(chosen)]]

"""How thorough the tests are: VIRNUCPRO_TEST_LENGTH, one of LENGTHS.

`check` (the default) covers every kind of case at least once, for `make check`. `full` covers more
of each kind, for `make check-full`. `long` takes hours. tests/unit/length.hpp is the same for C++.
"""

import os

LENGTHS = ("check", "full", "long")
LENGTH = os.environ.get("VIRNUCPRO_TEST_LENGTH", LENGTHS[0])

if LENGTH not in LENGTHS:
    raise ValueError(f"VIRNUCPRO_TEST_LENGTH={LENGTH}: expected {', '.join(LENGTHS)}")


def by_length(check, full, long=None):
    """The value for this length; `long` uses that of `full` if it has none."""
    return {"check": check, "full": full, "long": full if long is None else long}[LENGTH]

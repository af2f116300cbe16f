"""`python -m virnucpro …` runs the program, as `virnucpro …` does."""

import os
import sys
from pathlib import Path

# pip puts this file into PREFIX/lib/pythonX.Y/site-packages/virnucpro/, and the program into PREFIX/bin.
PROGRAM = str(Path(__file__).absolute().parents[4] / "bin" / "virnucpro")

if __name__ == "__main__":
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"virnucpro: error: {PROGRAM} is not there. Install the wheel into an environment, not with --target.")
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])

"""ERRORS: {name: (exit code, meaning)} from docs/reference/errors.md, which test_documents.py holds to the program."""

import os
import re
from pathlib import Path

PAGE = Path(os.environ["VIRNUCPRO_SOURCE"]) / "docs" / "reference" / "errors.md"
ERRORS = {name: (int(code), meaning) for name, code, meaning in
          re.findall(r"(?m)^\| `([\w-]+)` \| (\d+) \| ([^|]+) \|", PAGE.read_text())}

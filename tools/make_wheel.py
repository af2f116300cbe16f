#!/usr/bin/env python3
"""Makes the wheel of the tree that tools/package.sh made: pip installs the command, and a module that
runs it (`python -m virnucpro`, as v2 is called).

    tools/make_wheel.py VERSION STAGE OUTPUT_FOLDER

The tree goes below the environment's own folder as it is, bin/ beside libexec/, lib/ and share/, so
the launcher finds the rest as in the tarball: what was tested is what pip installs. It brings its C
library; the tag says from which glibc on that is promised. Packing one tree twice gives the same bytes: all times are SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path

MODULE = Path(__file__).resolve().parent.parent / "packaging" / "wheel" / "__main__.py"
TAG = "py3-none-manylinux_2_28_x86_64"
# For programs in C++ that are built elsewhere: the tarball has it.
LIBRARY = ("include/", "lib/cmake/", "lib/libvirnucpro.so")

METADATA = """Metadata-Version: 2.1
Name: virnucpro
Version: {version}
Summary: Tells viral from other sequences with DNABERT-S and ESM-2
License: MIT
Keywords: bioinformatics,virus,metagenomics,language-model
Classifier: Environment :: Console
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Topic :: Scientific/Engineering :: Bio-Informatics
Requires-Python: >=3.6
Description-Content-Type: text/markdown

{description}"""

INIT = '''"""The version of the program; `python -m virnucpro` runs it."""

__version__ = "{version}"
'''

DESCRIPTION = """# virnucpro

Tells viral from other sequences: reads FASTA, FASTQ, BAM, SAM or CRAM, and scores every stop-free
reading frame with DNABERT-S, ESM-2 and a classifier. One native program for Linux on x86-64 with AVX2;
Python only installs and starts it. This wheel has the command `virnucpro`, its data, manual and completion;
`python -m virnucpro` runs the command, too.

    virnucpro download                                # the published weights, verified
    virnucpro predict reads.fq.gz -m 300 -o results
"""

WHEEL = """Wheel-Version: 1.0
Generator: virnucpro make_wheel
Root-Is-Purelib: false
Tag: {tag}
"""


def place_of(name, data):
    """Returns the place of a file of the tree in the wheel; None if it has none."""
    if name.startswith(LIBRARY):
        return None
    if name.startswith("bin/"):
        return f"{data}/scripts/{name.removeprefix('bin/')}"
    if name.startswith(("libexec/", "lib/", "share/")):
        return f"{data}/data/{name}"
    return None  # README and LICENSE of the tarball


def contents(version, stage):
    """Yields (name in the wheel, bytes, whether it is executable) of every file but RECORD."""
    information = f"virnucpro-{version}.dist-info"
    for path in sorted(path for path in stage.rglob("*") if path.is_file()):
        place = place_of(path.relative_to(stage).as_posix(), f"virnucpro-{version}.data")
        if place:
            yield place, path.read_bytes(), os.access(path, os.X_OK)
    yield "virnucpro/__init__.py", INIT.format(version=version).encode(), False
    yield "virnucpro/__main__.py", MODULE.read_bytes(), False
    yield f"{information}/LICENSE", (stage / "LICENSE").read_bytes(), False
    yield f"{information}/METADATA", METADATA.format(version=version, description=DESCRIPTION).encode(), False
    yield f"{information}/WHEEL", WHEEL.format(tag=TAG).encode(), False


def record_row(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(path, version, stage, seconds):
    date = time.gmtime(seconds)[:6]
    record, rows = f"virnucpro-{version}.dist-info/RECORD", ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def add(name, content, executable):
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: pip takes the rights from the next line
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, content)

        for name, content, executable in contents(version, stage):
            add(name, content, executable)
            rows += record_row(name, content)
        add(record, (rows + f"{record},,\n").encode(), False)


def main(version, stage, output):
    path = Path(output) / f"virnucpro-{version}-{TAG}.whl"
    write_wheel(path, version, Path(stage), int(os.environ["SOURCE_DATE_EPOCH"]))
    print(f"wheel: {path}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])

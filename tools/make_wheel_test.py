#!/usr/bin/env python3
"""Tests of make_wheel.py."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import make_wheel

TREE = {"bin/virnucpro": 0o755, "libexec/virnucpro": 0o755, "lib/virnucpro/glibc/ld-linux-x86-64.so.2": 0o755,
        "lib/virnucpro/libz.so.1": 0o644, "lib/libvirnucpro.so.0.2": 0o644, "lib/cmake/virnucpro/a.cmake": 0o644,
        "include/virnucpro/virnucpro.hpp": 0o644, "share/virnucpro/models.json": 0o644, "README": 0o644,
        "LICENSE": 0o644}
DATA, INFORMATION = "virnucpro-1.2.3.data", "virnucpro-1.2.3.dist-info"
EXPECTED = {f"{DATA}/scripts/virnucpro": 0o755, f"{DATA}/data/libexec/virnucpro": 0o755,
            f"{DATA}/data/lib/virnucpro/glibc/ld-linux-x86-64.so.2": 0o755,
            f"{DATA}/data/lib/virnucpro/libz.so.1": 0o644, f"{DATA}/data/share/virnucpro/models.json": 0o644,
            "virnucpro/__init__.py": 0o644, "virnucpro/__main__.py": 0o644, f"{INFORMATION}/LICENSE": 0o644, f"{INFORMATION}/METADATA": 0o644, f"{INFORMATION}/WHEEL": 0o644,
            f"{INFORMATION}/RECORD": 0o644}


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stage = self.folder / "stage"
        for name, rights in TREE.items():
            path = self.stage / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
            path.chmod(rights)

    def write(self, name, seconds=1700000000):
        make_wheel.write_wheel(self.folder / name, "1.2.3", self.stage, seconds)
        return self.folder / name

    def test_has_the_tree_without_the_library_with_its_rights(self):
        with zipfile.ZipFile(self.write("a.whl")) as wheel:
            self.assertEqual({entry.filename: entry.external_attr >> 16 & 0o777 for entry in wheel.infolist()}, EXPECTED)
            self.assertEqual(wheel.read(f"{DATA}/scripts/virnucpro"), b"bin/virnucpro")

    def test_records_every_file(self):
        with zipfile.ZipFile(self.write("a.whl")) as wheel:
            record = wheel.read(f"{INFORMATION}/RECORD").decode().splitlines()
        self.assertEqual({row.split(",")[0] for row in record}, set(EXPECTED))
        self.assertIn(f"{DATA}/data/share/virnucpro/models.json,"
                      "sha256=8J0jnp58KwbiINdp5KinsW19ec4edw6zp3HVZrnGzlw,27", record)
        self.assertEqual(record[-1], f"{INFORMATION}/RECORD,,")

    def test_says_version_and_tag(self):
        with zipfile.ZipFile(self.write("a.whl")) as wheel:
            self.assertIn("\nVersion: 1.2.3\n", wheel.read(f"{INFORMATION}/METADATA").decode())
            self.assertIn(f"\nTag: {make_wheel.TAG}\n", wheel.read(f"{INFORMATION}/WHEEL").decode())

    def lay_out(self):
        """As pip does: the module's folder, in an environment."""
        site = self.folder / "venv" / "lib" / "python3.9" / "site-packages"
        with zipfile.ZipFile(self.write("a.whl")) as wheel:
            wheel.extractall(site)
        return site

    def run_python(self, site, *arguments):
        return subprocess.run([sys.executable, *arguments], env={**os.environ, "PYTHONPATH": str(site)}, cwd=self.folder,
                              capture_output=True, text=True)

    def test_the_module_runs_the_program_and_ends_as_it_does(self):
        script = self.stage / "bin" / "virnucpro"
        script.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 3\n')
        site = self.lay_out()
        program = self.folder / "venv" / "bin" / "virnucpro"
        program.parent.mkdir()
        shutil.copy(site / DATA / "scripts" / "virnucpro", program)
        program.chmod(0o755)
        result = self.run_python(site, "-m", "virnucpro", "predict", "a b.fa", "-m", "500", "")
        self.assertEqual((result.stdout, result.returncode), ("<predict><a b.fa><-m><500><>", 3))

    def test_the_module_says_where_the_program_should_be(self):
        result = self.run_python(self.lay_out(), "-m", "virnucpro", "--version")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.folder}/venv/bin/virnucpro is not there", result.stderr)

    def test_the_module_has_the_version(self):
        result = self.run_python(self.lay_out(), "-c", "import virnucpro; print(virnucpro.__version__)")
        self.assertEqual(result.stdout, "1.2.3\n")

    def test_is_the_same_bytes_for_the_same_tree_and_time(self):
        first = self.write("a.whl").read_bytes()
        (self.stage / "share/virnucpro/models.json").touch()
        self.assertEqual(self.write("b.whl").read_bytes(), first)
        self.assertNotEqual(self.write("c.whl", 1600000000).read_bytes(), first)


if __name__ == "__main__":
    unittest.main()

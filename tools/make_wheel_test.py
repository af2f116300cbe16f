#!/usr/bin/env python3
"""Tests of make_wheel.py."""

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
            f"{INFORMATION}/LICENSE": 0o644, f"{INFORMATION}/METADATA": 0o644, f"{INFORMATION}/WHEEL": 0o644,
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

    def test_is_the_same_bytes_for_the_same_tree_and_time(self):
        first = self.write("a.whl").read_bytes()
        (self.stage / "share/virnucpro/models.json").touch()
        self.assertEqual(self.write("b.whl").read_bytes(), first)
        self.assertNotEqual(self.write("c.whl", 1600000000).read_bytes(), first)


if __name__ == "__main__":
    unittest.main()

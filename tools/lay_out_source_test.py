#!/usr/bin/env python3
"""Tests of lay_out_source.sh, and of what cmake/write_commit.cmake makes of its folder."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).parents[1]
COPIED = ("tools/lay_out_source.sh", "cmake/write_commit.cmake", "cmake/archived_commit.txt")


class Layout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = Path(folder.name) / "checkout"
        self.laid_out = Path(folder.name) / "laid out"
        for name in COPIED:
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.checkout / name)
        (self.checkout / ".gitignore").write_text("/build/\n")
        (self.checkout / "build").mkdir()
        (self.checkout / "build" / "made").touch()
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "--quiet", "-m", "Begin")
        self.commit = self.git("rev-parse", "--short=10", "HEAD")

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.checkout, *arguments], check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit_of_build(self):
        subprocess.run([self.checkout / "tools/lay_out_source.sh", self.laid_out], check=True, capture_output=True)
        header = self.laid_out / "commit.hpp"
        subprocess.run(["cmake", "-D", f"SOURCE={self.laid_out}", "-D", f"HEADER={header}", "-P",
                        self.laid_out / "cmake/write_commit.cmake"], check=True)
        return header.read_text().split('"')[1]

    def test_has_the_files_of_a_commit_and_its_name(self):
        self.assertEqual(self.commit_of_build(), self.commit)
        self.assertTrue((self.laid_out / ".gitignore").exists())
        self.assertFalse((self.laid_out / "build").exists())

    def test_has_files_as_they_are_and_says_that_they_differ(self):
        with (self.checkout / "cmake/write_commit.cmake").open("a") as file:
            file.write("# changed\n")
        (self.checkout / "new").touch()
        self.assertEqual(self.commit_of_build(), f"{self.commit}+")
        self.assertTrue((self.laid_out / "new").exists())
        self.assertTrue((self.laid_out / "cmake/write_commit.cmake").read_text().endswith("# changed\n"))

    def test_leaves_out_a_file_that_is_gone(self):
        (self.checkout / ".gitignore").unlink()
        self.assertEqual(self.commit_of_build(), f"{self.commit}+")
        self.assertFalse((self.laid_out / ".gitignore").exists())

    def test_an_archive_without_a_commit_says_so(self):
        """The file as it is in the checkout, which only `git archive` fills in."""
        self.commit_of_build()
        shutil.copy(SOURCE / "cmake/archived_commit.txt", self.laid_out / "cmake")
        header = self.laid_out / "commit.hpp"
        subprocess.run(["cmake", "-D", f"SOURCE={self.laid_out}", "-D", f"HEADER={header}", "-P",
                        self.laid_out / "cmake/write_commit.cmake"], check=True)
        self.assertIn('"unknown"', header.read_text())


if __name__ == "__main__":
    unittest.main()

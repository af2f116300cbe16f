#!/usr/bin/env python3
"""Tests of make_sbom.py."""

import hashlib
import tempfile
import unittest
from pathlib import Path

import make_sbom

LIST = """The libraries that come with this program: file, source package, package.

(compiled in)\tNVIDIA CUTLASS 4.2.1, cutlass 4.2.1
(compiled in)\thdf5 1.10.8+repack1-1, libhdf5-dev 1.10.8+repack1-1+b1
glibc/libc.so.6\tglibc 2.36-9+deb12u10, libc6 2.36-9+deb12u10
libstdc++.so.6\tgcc-12 12.2.0-14, libstdc++6 12.2.0-14
"""


class BillOfMaterials(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        stage = Path(folder.name)
        for name in ("bin/virnucpro", "libexec/virnucpro", "lib/virnucpro/glibc/libc.so.6",
                     "lib/virnucpro/libstdc++.so.6"):
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).write_text(name)
        licences = stage / "share/doc/virnucpro/third-party"
        licences.mkdir(parents=True)
        (licences / "README").write_text(LIST)
        for name in ("cutlass", "libhdf5-dev", "libc6", "libstdc++6"):
            (licences / f"{name}.txt").write_text(f"licence of {name}")
        self.bill = make_sbom.document("1.2.3", stage, 1700000000)
        self.again = make_sbom.document("1.2.3", stage, 1700000000)

    def packages(self):
        return {entry["name"]: entry for entry in self.bill["packages"]}

    def test_has_every_row_with_its_version(self):
        self.assertEqual({name: entry["versionInfo"] for name, entry in self.packages().items()},
                         {"virnucpro": "1.2.3", "cutlass": "4.2.1", "libhdf5-dev": "1.10.8+repack1-1+b1",
                          "libc6": "2.36-9+deb12u10", "libstdc++6": "12.2.0-14"})

    def test_says_where_a_library_is_from(self):
        entry = self.packages()["libstdc++6"]
        self.assertEqual(entry["downloadLocation"], "https://snapshot.debian.org/package/gcc-12/12.2.0-14/")
        self.assertEqual(entry["externalRefs"][0]["referenceLocator"],
                         "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14?arch=amd64")
        self.assertEqual(self.packages()["cutlass"]["supplier"], "Organization: NVIDIA")

    def test_tells_a_package_that_was_built_again_from_its_source(self):
        """As Debian does for a new library (+b1); both versions are needed to find it."""
        entry = self.packages()["libhdf5-dev"]
        self.assertEqual(entry["sourceInfo"], "built from the source package hdf5 1.10.8+repack1-1")
        self.assertEqual(entry["downloadLocation"], "https://snapshot.debian.org/package/hdf5/1.10.8%2Brepack1-1/")
        self.assertEqual(entry["externalRefs"][0]["referenceLocator"],
                         "pkg:deb/debian/libhdf5-dev@1.10.8%2Brepack1-1%2Bb1?arch=amd64")

    def test_names_are_what_spdx_allows(self):
        for entry in self.bill["packages"] + self.bill["files"]:
            self.assertRegex(entry["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
        for licence in self.bill["hasExtractedLicensingInfos"]:
            self.assertRegex(licence["licenseId"], r"^LicenseRef-[A-Za-z0-9.-]+$")

    def test_has_the_text_of_every_licence(self):
        texts = {entry["licenseId"]: entry["extractedText"] for entry in self.bill["hasExtractedLicensingInfos"]}
        for name, entry in self.packages().items():
            if name != "virnucpro":
                self.assertEqual(texts[entry["licenseDeclared"]], f"licence of {name}")

    def test_has_the_sum_of_every_file(self):
        sums = {entry["fileName"]: entry["checksums"][1]["checksumValue"] for entry in self.bill["files"]}
        self.assertEqual(sums["./lib/virnucpro/libstdc++.so.6"],
                         hashlib.sha256(b"lib/virnucpro/libstdc++.so.6").hexdigest())
        self.assertEqual(len(sums), 4)

    def test_tells_what_is_linked_from_what_lies_beside(self):
        kinds = {(relation["relationshipType"], relation["relatedSpdxElement"]) for relation in self.bill["relationships"]}
        self.assertIn(("STATIC_LINK", "SPDXRef-Package-cutlass"), kinds)
        self.assertIn(("DYNAMIC_LINK", "SPDXRef-File-lib-virnucpro-glibc-libc.so.6"), kinds)

    def test_is_the_same_for_the_same_tree(self):
        self.assertEqual(self.again, self.bill)
        self.assertEqual(self.bill["creationInfo"]["created"], "2023-11-14T22:13:20Z")


if __name__ == "__main__":
    unittest.main()

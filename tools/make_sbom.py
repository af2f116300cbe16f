#!/usr/bin/env python3
"""Writes the software bill of materials of a package: share/doc/virnucpro/virnucpro.spdx.json.

    tools/make_sbom.py VERSION STAGE

Made from the package's own list of libraries, share/doc/virnucpro/third-party/README, and the files
that it names. SPDX 2.3; the same bytes for the same tree, with SOURCE_DATE_EPOCH as its time. The
licence of a library is the text that comes with it: Debian's copyright files have many forms, and
what is no more than a guess at an SPDX name is left out.
"""

import hashlib
import json
import os
import sys
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

COMPILED_IN = "(compiled in)"
NVIDIA = "NVIDIA "


def rows_of(text):
    """Yields (file or COMPILED_IN, source, its version, package, its version) of each row of the list."""
    for line in text.splitlines():
        file, tab, rest = line.partition("\t")
        if tab:
            source, package = (name_and_version.rpartition(" ") for name_and_version in rest.split(", "))
            yield file, source[0], source[2], package[0], package[2]


def spdx_id(kind, name):
    # Letters, digits, . and - alone are allowed.
    return f"SPDXRef-{kind}-" + "".join(c if c.isalnum() or c in ".-" else "-" for c in name)


def digests(path):
    content = path.read_bytes()
    return [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, content).hexdigest()}
            for name in ("sha1", "sha256")]


def package_entry(source, source_version, package, version):
    entry = {"name": package, "SPDXID": spdx_id("Package", package), "versionInfo": version,
             "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
             "licenseDeclared": f"LicenseRef-{package.replace('+', '-plus')}", "copyrightText": "NOASSERTION"}
    if source.startswith(NVIDIA):
        return {**entry, "supplier": "Organization: NVIDIA"}
    purl = f"pkg:deb/debian/{quote(package)}@{quote(version, safe='')}?arch=amd64"
    return {**entry, "supplier": "Organization: Debian",
            "sourceInfo": f"built from the source package {source} {source_version}",
            "downloadLocation": f"https://snapshot.debian.org/package/{quote(source)}/{quote(source_version)}/",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": purl}]}


def licence_entry(entry, licences):
    text = (licences / f"{entry['name']}.txt").read_text(encoding="utf-8", errors="replace")
    return {"licenseId": entry["licenseDeclared"], "name": f"the licence of {entry['name']}", "extractedText": text}


def file_entry(name, path):
    return {"fileName": f"./{name}", "SPDXID": spdx_id("File", name), "checksums": digests(path),
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"}


def relationship(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def own_entry(version):
    return {"name": "virnucpro", "SPDXID": "SPDXRef-Package-virnucpro", "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"}


def document(version, stage, seconds):
    licences = stage / "share/doc/virnucpro/third-party"
    own = own_entry(version)
    packages, files, relations = {}, [], [relationship("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for file, *names_and_versions in rows_of((licences / "README").read_text()):
        package = names_and_versions[2]
        entry = packages.setdefault(package, package_entry(*names_and_versions))
        if file == COMPILED_IN:
            relations.append(relationship(own["SPDXID"], "STATIC_LINK", entry["SPDXID"]))
            continue
        name = f"lib/virnucpro/{file}"
        files.append(file_entry(name, stage / name))
        relations.append(relationship(files[-1]["SPDXID"], "EXPANDED_FROM_ARCHIVE", entry["SPDXID"]))
        relations.append(relationship(own["SPDXID"], "DYNAMIC_LINK", files[-1]["SPDXID"]))
    libraries = [f"lib/{path.name}" for path in (stage / "lib").glob("libvirnucpro.so.*") if not path.is_symlink()]
    for name in ("bin/virnucpro", "libexec/virnucpro", *sorted(libraries)):
        files.append(file_entry(name, stage / name))
        relations.append(relationship(files[-1]["SPDXID"], "GENERATED_FROM", own["SPDXID"]))
    content = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    created = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"virnucpro-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/virnucpro-{version}-{content}",
        "creationInfo": {"created": created, "creators": ["Tool: virnucpro-make_sbom"]},
        "packages": [own, *packages.values()], "files": files, "relationships": relations,
        "hasExtractedLicensingInfos": [licence_entry(entry, licences) for entry in packages.values()]}


def main(version, folder):
    stage = Path(folder)
    content = document(version, stage, int(os.environ["SOURCE_DATE_EPOCH"]))
    path = stage / "share/doc/virnucpro/virnucpro.spdx.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

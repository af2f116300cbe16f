"""Every artefact of tools/package_all.sh, installed in bare roots of Debian 11 and 12, run there, and
its tables compared with those of the build (make test-install; needs root and a mirror)."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from needs import needs_mirror
from roots import FOLDER, LOCALE, SOURCE, Root, checked

DIST = SOURCE / "dist"
BUILT = SOURCE / "build" / "package" / "bin" / "virnucpro"
CONDA_PYTHON = SOURCE / ".venv-conda" / "bin" / "python"
LAMBDA = SOURCE / "share" / "virnucpro" / "lambda.fa.gz"
MODELS = ["-p", "synthetic", "--esm-model", "synthetic:esm2_tiny", "--dnabert-model", "synthetic:dnabert-s-tiny"]
PREDICT = ["predict", *MODELS, "-e", "300", "-d", "cpu", "--no-progress"]
EMBED = ["embed", *MODELS[2:], "-e", "300", "-d", "cpu", "--no-progress"]
# Debian 11 has glibc 2.31, which is older than what the program needs.
OLD, NEW = "bullseye", "bookworm"


def artefact(pattern):
    (path,) = DIST.glob(pattern)
    return path


@pytest.fixture(scope="session")
def version():
    return checked([BUILT, "--version"]).stdout.split()[1]


def releases_of(names):
    return [pytest.param(name, marks=needs_mirror(name)) for name in names]


@pytest.fixture
def root(request):
    made = Root(request.param)
    yield made
    made.remove()


def in_release(*releases):
    return pytest.mark.parametrize("root", releases_of(releases), indirect=True)


def of_tarball(*releases):
    return pytest.mark.parametrize("unpacked", releases_of(releases), indirect=True)


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """What is computed in each root: the lambda genome, and 40 reads of it as a CRAM without a reference."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copy(LAMBDA, folder)
    letters = "".join(subprocess.run(["gzip", "-dc", LAMBDA], capture_output=True, text=True,
                                     check=True).stdout.splitlines()[1:])
    rows = (f"read_{i}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters[i * 1000:i * 1000 + 900]}\t*\n" for i in range(40))
    (folder / "reads.sam").write_text("@HD\tVN:1.6\n" + "".join(rows))
    checked(["samtools", "view", "-C", "--output-fmt-option", "no_ref=1", "-o", folder / "reads.cram",
             folder / "reads.sam"])
    return folder


@pytest.fixture(scope="session")
def expected(data, tmp_path_factory):
    """The build's own tables and embeddings of them, computed on this system."""
    folder = tmp_path_factory.mktemp("expected")
    for name in ("lambda.fa.gz", "reads.cram"):
        checked([BUILT, *PREDICT, data / name, "-o", folder / name.partition(".")[0]])
    checked([BUILT, *EMBED, data / "lambda.fa.gz", "-o", folder / "lambda.h5"])
    return folder


def tables_of(folder, stem):
    merged = folder / f"{stem}_merged"
    found = {path.name: path.read_bytes() for path in
             (folder / "sequences.tsv", merged / "prediction_results.txt",
              merged / "prediction_results_highestscore.csv")}
    assert all(content.count(b"\n") > 20 for name, content in found.items() if name != "sequences.tsv")
    return found


class Installed:
    """The command as a user of a root starts it."""

    def __init__(self, root, program, data, expected):
        self.root, self.program, self.expected = root, program, expected
        shutil.copytree(data, root / "data")

    def __call__(self, *arguments, **options):
        return self.root(self.program, *arguments, **options)

    def predicts_the_same(self, name="lambda.fa.gz", *flags, environment=None):
        """It must give the build's tables, byte for byte: the data lie at other paths than the build's."""
        stem = name.partition(".")[0]
        self.root("sh", "-c", 'cd /data && exec "$0" "$@"', self.program, *PREDICT, name, *flags, "--force", "-o",
                  "/data/out", environment=environment)
        ours, theirs = tables_of(self.root / "data/out", stem), tables_of(self.expected / stem, stem)
        for table in theirs:
            assert without_folder(ours[table]) == without_folder(theirs[table]), table


def without_folder(table):
    """sequences.tsv names the input as it was given; only that may differ."""
    return re.sub(rb"[^\t\n]*/(lambda\.fa\.gz|reads\.cram)", rb"\1", table)


@pytest.fixture
def install(root, data, expected):
    return lambda program: Installed(root, program, data, expected)


@pytest.fixture(scope="module")
def unpacked(request, data, expected, version):
    """The tarball in a root of its own for all its tests, in a folder with a space, through a link."""
    root = Root(request.param)
    (root / "opt/a folder").mkdir()
    checked(["tar", "-xzf", artefact("*-linux-x64.tar.gz"), "-C", root / "opt/a folder", "--no-same-owner"])
    (root / "usr/bin/virnucpro").symlink_to(f"/opt/a folder/virnucpro-{version}-linux-x64/bin/virnucpro")
    yield Installed(root, "/usr/bin/virnucpro", data, expected)
    root.remove()


@of_tarball(OLD, NEW)
@pytest.mark.parametrize("flags, environment", [
    ([], {}), (["--cpu-workers", "2"], {}), ([], {"LANG": LOCALE}), (["--cpu-workers", "2"], {"LC_ALL": LOCALE})])
def test_tarball_gives_the_builds_tables(unpacked, flags, environment):
    unpacked.predicts_the_same("lambda.fa.gz", *flags, environment=environment)


@of_tarball(OLD, NEW)
def test_the_locale_of_these_tests_would_change_numbers(unpacked):
    shown = unpacked.root("bash", "-c", "printf %.1f 0,5", environment={"LC_ALL": LOCALE}).stdout
    assert shown == "0,5"


@of_tarball(OLD, NEW)
def test_tarball_reads_cram(unpacked):
    unpacked.predicts_the_same("reads.cram")


@of_tarball(OLD, NEW)
def test_tarball_writes_and_reads_hdf5(unpacked, expected):
    unpacked(*EMBED, "/data/lambda.fa.gz", "-o", "/data/ours.h5")
    shutil.copy(expected / "lambda.h5", unpacked.root / "data/theirs.h5")
    assert unpacked("compare", "/data/ours.h5", "/data/theirs.h5").stdout.splitlines()[-1] == "identical"


@of_tarball(OLD, NEW)
def test_tarball_starts_itself_for_trials(unpacked):
    unpacked("benchmark", *MODELS, "-d", "cpu", "-t", "2", "--quick", "--data-size", "tiny", "--suite",
             "equivalence,scaling", "-o", "/data/bench")
    unpacked("tune", *MODELS, "-d", "cpu", "--quick", "--data-size", "tiny", "--threads-grid", "1,2", "--prefetch-grid",
             "2", "--budget-grid", "512", "-o", "/data/tune")


@of_tarball(OLD)
def test_tarball_brings_the_c_library_that_an_old_system_lacks(unpacked):
    assert (2, 28) <= unpacked.root.glibc() < (2, 36)
    refused = unpacked("--version", environment={"VIRNUCPRO_LOADER": "host"}, code=1)
    assert "GLIBC_2.3" in refused.stderr
    assert "/lib/virnucpro/glibc/libc.so.6" in unpacked("--version", environment={"LD_DEBUG": "libs"}).stderr


@of_tarball(NEW)
def test_tarball_takes_the_systems_c_library_where_it_is_new(unpacked):
    assert unpacked.root.glibc() >= (2, 36)
    assert "/lib/virnucpro/glibc/" not in unpacked("--version", environment={"LD_DEBUG": "libs"}).stderr
    unpacked.predicts_the_same("lambda.fa.gz", "--cpu-workers", "2", environment={"VIRNUCPRO_LOADER": "carried"})


@of_tarball(OLD, NEW)
@pytest.mark.parametrize("host, says", [("localhost:1", "Failed to connect to localhost port 1"),
                                        ("nowhere.invalid", "Could not resolve host: nowhere.invalid")])
def test_tarball_looks_hosts_up(unpacked, host, says):
    """In /etc/hosts and by DNS: libcurl is opened at run time, and both are in the C library."""
    result = unpacked("download", "300", "--retries", "0", environment={"VIRNUCPRO_GITHUB_URL": f"http://{host}"}, code=1)
    assert says in result.stderr


def needed_versions(files):
    shown = checked(["objdump", "-T", *files]).stdout
    return {tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_(2\.\d+)", shown)}


def test_launcher_needs_no_library(tmp_path, version):
    """So the oldest glibc that is promised (2.28) is no older than the carried one needs: none is asked."""
    checked(["tar", "-xzf", artefact("*-linux-x64.tar.gz"), "-C", tmp_path])
    package = tmp_path / f"virnucpro-{version}-linux-x64"
    for file in ("bin/virnucpro", "lib/virnucpro/glibc/ld-linux-x86-64.so.2"):
        headers = checked(["readelf", "--program-headers", "--dynamic", package / file]).stdout
        assert "INTERP" not in headers and "(NEEDED)" not in headers
    carried = {path.name for path in (package / "lib/virnucpro/glibc").iterdir()}
    libraries = [path for path in (package / "lib/virnucpro").rglob("*.so*") if path.is_file()]
    names = {path.name for path in libraries}
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", checked(["readelf", "--dynamic", *libraries,
                                                               package / "libexec/virnucpro"]).stdout))
    assert {"libc.so.6", "libm.so.6"} <= needed <= names, needed - names
    theirs = needed_versions([package / "libexec/virnucpro", *(p for p in libraries if p.name not in carried)])
    ours = needed_versions([package / "lib/virnucpro/glibc/libc.so.6"])
    assert max(theirs) <= max(ours)


@in_release(OLD, NEW)
def test_wheel(root, install, version):
    wheel = artefact("*.whl")
    shutil.copy(wheel, root / "root")
    root("python3", "-m", "venv", "/opt/venv")
    before = root.files()
    root("/opt/venv/bin/pip", "install", "--no-index", f"/root/{wheel.name}")
    installed = install("/opt/venv/bin/virnucpro")
    assert installed("--version").stdout == f"virnucpro {version}\n"
    assert root("/opt/venv/bin/python", "-m", "virnucpro", "--version").stdout == f"virnucpro {version}\n"
    assert f"Version: {version}" in root("/opt/venv/bin/pip", "show", "virnucpro").stdout
    installed.predicts_the_same("lambda.fa.gz", "--cpu-workers", "2")
    share = root / "opt/venv/share"
    for file in ("man/man1/virnucpro.1", "bash-completion/completions/virnucpro", "zsh/site-functions/_virnucpro"):
        assert (share / file).is_file()
    root("/opt/venv/bin/pip", "uninstall", "--yes", "virnucpro")
    assert root.files() == before


def test_wheel_records_what_is_in_it():
    with zipfile.ZipFile(artefact("*.whl")) as wheel:
        (record,) = [name for name in wheel.namelist() if name.endswith("/RECORD")]
        rows = {name: (digest, size) for name, digest, size in csv.reader(wheel.read(record).decode().splitlines())}
        assert sorted(rows) == sorted(wheel.namelist())
        for name, (digest, size) in rows.items():
            content = wheel.read(name)
            sha256 = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert name == record or (digest, size) == (f"sha256={sha256}", str(len(content)))


INSTALL_CONDA = """
import asyncio, os, sys
from pathlib import Path
from rattler import Channel, Platform, VirtualPackage, install, solve
from rattler.index import index_fs

async def main(channel, prefix):
    await index_fs(channel)
    records = await solve([Channel(Path(channel).as_uri())], ["virnucpro"], platforms=[Platform("linux-64")],
                          virtual_packages=VirtualPackage.detect())
    await install(records, prefix, show_progress=False)
    # At once: a thread of rattler's that still runs when Python ends can be a fatal error of it.
    print(*(record.file_name for record in records), flush=True)
    os._exit(0)

asyncio.run(main(*sys.argv[1:]))
"""


@in_release(OLD, NEW)
def test_conda(root, install, version, tmp_path):
    """Installed from outside: Debian 11's Python is too old for py-rattler."""
    package = artefact("*.conda")
    (tmp_path / "channel/linux-64").mkdir(parents=True)
    (tmp_path / "channel/noarch").mkdir()
    shutil.copy(package, tmp_path / "channel/linux-64")
    shown = checked([CONDA_PYTHON, "-c", INSTALL_CONDA, tmp_path / "channel", root / "opt/conda"],
                    env={**os.environ, "RATTLER_CACHE_DIR": str(tmp_path / "cache")}).stdout
    assert shown.split() == [package.name]
    installed = install("/opt/conda/bin/virnucpro")
    assert installed("--version").stdout == f"virnucpro {version}\n"
    installed.predicts_the_same("lambda.fa.gz", "--cpu-workers", "2")


RENDER = """
import sys
from rattler_build import Stage0Recipe, VariantConfig
# bioconda's pins choose the C library; here any do.
pins = VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]})
for variant in Stage0Recipe.from_file(sys.argv[1]).render(pins):
    print(variant.recipe.package.name, variant.recipe.package.version)
"""


def test_bioconda_recipe_is_rendered(version):
    shown = checked([CONDA_PYTHON, "-c", RENDER, SOURCE / "packaging/bioconda/recipe.yaml"]).stdout
    assert shown.split() == ["virnucpro", version]


@in_release(NEW)
def test_deb(root, install, version):
    package = artefact("*.deb")
    shutil.copy(package, root / "root")
    apt = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    root("apt-get", "-q", "update", environment=apt)
    needed = re.search(r"(?m)^ Depends: (.*)$", checked(["dpkg-deb", "--info", package]).stdout).group(1)
    root("apt-get", "-q", "satisfy", "--yes", "--no-install-recommends", needed, environment=apt)
    before = root.files()
    root("apt-get", "-q", "install", "--yes", "--no-install-recommends", f"/root/{package.name}", environment=apt)
    installed = install("/usr/bin/virnucpro")
    assert installed("--version").stdout == f"virnucpro {version}\n"
    installed.predicts_the_same("lambda.fa.gz")
    installed.predicts_the_same("lambda.fa.gz", "--cpu-workers", "2")
    installed.predicts_the_same("reads.cram")
    files = root("dpkg", "-L", "virnucpro").stdout.splitlines()
    for file in ("/usr/share/man/man1/virnucpro.1.gz", "/usr/share/bash-completion/completions/virnucpro",
                 "/usr/share/zsh/vendor-completions/_virnucpro", "/usr/share/virnucpro/models.json"):
        assert file in files
    assert (root / "usr/share/virnucpro/models.json").is_file()
    licences = root / "usr/share/doc/virnucpro/third-party"
    listed = {line.rpartition(", ")[2].split()[0] for line in (licences / "README").read_text().splitlines() if "\t" in line}
    assert {"libhdf5-dev", "libspdlog-dev", "libcli11-dev", "nlohmann-json3-dev"} < listed
    assert listed == {path.stem for path in licences.glob("*.txt")}
    root("apt-get", "-q", "purge", "--yes", "virnucpro", environment=apt)
    assert "virnucpro" not in root("dpkg-query", "-W").stdout
    assert root.files() == before


def dockerfile_steps():
    """(instruction, rest) of each, with continued lines joined."""
    text = (SOURCE / "packaging/Dockerfile").read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


def follow_dockerfile(root):
    """No docker is needed: its steps are few. Returns the environment and the entry point."""
    environment, entry = {}, []
    for instruction, rest in dockerfile_steps():
        if instruction == "RUN":
            root("sh", "-c", rest)
        elif instruction == "ADD":
            pattern, folder = rest.split()
            (archive,) = SOURCE.glob(pattern)
            checked(["tar", "-xzf", archive, "-C", root / folder.lstrip("/")])
        elif instruction == "COPY":
            source, target = rest.split()
            shutil.copy(SOURCE / source, root / target.lstrip("/"))
        elif instruction == "ENV":
            environment |= dict(setting.split("=", 1) for setting in rest.split())
        elif instruction == "ENTRYPOINT":
            entry = json.loads(rest)
        else:
            assert instruction in ("FROM", "LABEL", "CMD"), instruction
    return environment, entry


@in_release(NEW)
def test_container(root, data, expected):
    assert dockerfile_steps()[0] == ("FROM", f"debian:{root.release}-slim")
    environment, entry = follow_dockerfile(root)
    path = environment.pop("PATH")

    def started(*arguments, **options):
        return root(*entry, *arguments, environment=environment, path=path, **options)

    shutil.copytree(data, root / "data")
    assert started("--help").stdout == started("virnucpro", "--help").stdout
    started(*PREDICT, "/data/lambda.fa.gz", "-o", "/data/arguments")
    # As Nextflow does.
    command = " ".join(["virnucpro", *PREDICT, "/data/lambda.fa.gz", "-o", "/data/pipeline"])
    started("/bin/bash", "-ue", "-c", f"{command} && ps -o comm= -p $$ > /data/ps")
    assert (root / "data/ps").read_text() == "bash\n"
    for output in ("arguments", "pipeline"):
        ours, theirs = tables_of(root / "data" / output, "lambda"), tables_of(expected / "lambda", "lambda")
        assert {name: without_folder(table) for name, table in ours.items()} == {
            name: without_folder(table) for name, table in theirs.items()}
    assert started("predict", "absent.fa", code=1).stderr


def section(name):
    """A section of the Apptainer recipe."""
    text = (SOURCE / "packaging/virnucpro.def").read_text()
    return re.search(rf"(?ms)^%{name}$\n(.*?)(?=^%|\Z)", text).group(1)


@in_release(NEW)
def test_apptainer_recipe(root, data, expected):
    """Its sections in their order, in the root that its head asks for; apptainer itself is not needed."""
    assert f"From: debian:{root.release}-slim" in (SOURCE / "packaging/virnucpro.def").read_text()
    pattern, folder = section("files").split()
    (archive,) = SOURCE.glob(pattern)
    shutil.copy(archive, root / folder.strip("/"))
    root("sh", "-c", section("post"))
    root("sh", "-c", section("environment") + section("test"))
    shutil.copytree(data, root / "data")
    root("sh", "-c", section("environment") + section("runscript"), "virnucpro", *PREDICT, "/data/lambda.fa.gz", "-o",
         "/data/out")
    ours, theirs = tables_of(root / "data/out", "lambda"), tables_of(expected / "lambda", "lambda")
    assert {name: without_folder(table) for name, table in ours.items()} == {
        name: without_folder(table) for name, table in theirs.items()}
    # apptainer exec, as pipelines do.
    root("bash", "-c", section("environment") + "virnucpro --version && ps --version")


def test_sums_are_those_of_the_files():
    checked(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=DIST)
    listed = {line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
    assert listed == {path.name for path in DIST.glob("virnucpro[-_][0-9]*")}
    assert {Path(name).suffix for name in listed} == {".gz", ".whl", ".conda", ".deb", ".json"}


def test_wheel_and_conda_package_are_the_same_when_made_again(tmp_path, version):
    """Of the tree in the tarball. SHA256SUMS promises it; make test-rebuild compiles again, too."""
    checked(["tar", "-xzf", artefact("*-linux-x64.tar.gz"), "-C", tmp_path])
    tree = tmp_path / f"virnucpro-{version}-linux-x64"
    time = int((tree / "README").stat().st_mtime)
    (tmp_path / "again").mkdir()
    for python, script in (("/usr/bin/python3", "make_wheel.py"), (CONDA_PYTHON, "make_conda.py")):
        checked([python, SOURCE / "tools" / script, version, tree, tmp_path / "again"],
                env={**os.environ, "SOURCE_DATE_EPOCH": str(time)})
    for pattern in ("*.whl", "*.conda"):
        (again,) = (tmp_path / "again").glob(pattern)
        assert again.read_bytes() == artefact(pattern).read_bytes()


def test_every_file_has_the_version(version):
    for path in DIST.glob("virnucpro[-_][0-9]*"):
        assert re.match(rf"virnucpro[-_]{re.escape(version)}[-_.]", path.name)


def test_bill_of_materials_has_every_library(tmp_path, version):
    """Made from the package's list; here it is held against the package's files."""
    bill = json.loads(artefact("*.spdx.json").read_text())
    checked(["tar", "-xzf", artefact("*-linux-x64.tar.gz"), "-C", tmp_path])
    package = tmp_path / f"virnucpro-{version}-linux-x64"
    sums = {file["fileName"]: file["checksums"][1]["checksumValue"] for file in bill["files"]}
    programs = [package / "bin/virnucpro", package / "libexec/virnucpro"]
    libraries = [path for path in (package / "lib/virnucpro").rglob("*") if path.is_file()]
    libraries += [path for path in (package / "lib").glob("*.so*") if not path.is_symlink()]
    assert sums == {f"./{path.relative_to(package)}": hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in programs + libraries}
    ids = {entry["SPDXID"] for entry in bill["packages"] + bill["files"]} | {"SPDXRef-DOCUMENT"}
    assert all({relation["spdxElementId"], relation["relatedSpdxElement"]} <= ids for relation in bill["relationships"])
    licences = {licence["licenseId"] for licence in bill["hasExtractedLicensingInfos"]}
    assert {entry["licenseDeclared"] for entry in bill["packages"]} == licences | {"MIT"}
    assert "libc6" in {entry["name"] for entry in bill["packages"]}
    listed = [line.split("\t")[1] for line in
              (package / "share/doc/virnucpro/third-party/README").read_text().splitlines() if "\t" in line]
    for entry in bill["packages"]:
        if entry.get("supplier") == "Organization: Debian":
            installed = checked(["dpkg-query", "-W", "-f", "${Version}", entry["name"]]).stdout
            assert entry["versionInfo"] == installed
            assert any(row.endswith(f", {entry['name']} {installed}") for row in listed)


def test_roots_are_bare():
    """What a test needs of a root it must bring: no root has a toolchain or an earlier program."""
    bases = [base for base in FOLDER.glob("b*") if "." not in base.name]
    assert bases
    for base in bases:
        assert not list((base / "usr/bin").glob("gcc*")) and not list(base.glob("opt/*"))

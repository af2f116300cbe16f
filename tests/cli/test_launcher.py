"""bin/virnucpro of a package, which starts the program with the host's C library or a carried one."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import BIN, LAMBDA, MODELS, SOURCE, Program, message, workers_of

LAUNCHER = Path(os.environ["VIRNUCPRO_BUILD"]) / "launcher" / "virnucpro"
HOST = Path("/lib64/ld-linux-x86-64.so.2").resolve()
# What the program itself needs; a package has more (tools/package.sh).
GLIBC = ("libc.so.6", "libm.so.6", "libmvec.so.1", "libresolv.so.2", "libpthread.so.0", "libdl.so.2",
         "librt.so.1")
SHORT = ["-e", "300", "-d", "cpu", "--no-progress"]


def package_in(root):
    """A package as tools/package.sh lays it out, without the libraries that are not glibc's."""
    for folder in ("bin", "libexec", "share", "lib/virnucpro/glibc"):
        (root / folder).mkdir(parents=True)
    shutil.copy(LAUNCHER, root / "bin")
    shutil.copy(BIN, root / "libexec" / "virnucpro")
    (root / "share" / "virnucpro").symlink_to(SOURCE / "share" / "virnucpro")
    glibc = root / "lib/virnucpro/glibc"
    shutil.copy(HOST, glibc / "ld-linux-x86-64.so.2")
    for name in GLIBC:
        if (HOST.parent / name).exists():
            shutil.copy(HOST.parent / name, glibc)
    return root


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return package_in(tmp_path_factory.mktemp("launcher") / "a package")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("expected"))
    program.predict(LAMBDA, *SHORT, "-o", "out", code=0)
    return program.tables("out", "lambda")


def run(package, *arguments, environment=None, **options):
    own = {name: value for name, value in os.environ.items() if name != "VIRNUCPRO_LOADER"}
    return subprocess.run([package / "bin" / "virnucpro", *map(str, arguments)], check=False,
                          capture_output=True, env={**own, **(environment or {})}, **options)


def loaders():
    return pytest.mark.parametrize("loader", ["host", "carried"])


@loaders()
@pytest.mark.parametrize("workers", [[], ["--cpu-workers", "2"]])
def test_tables_are_the_programs(package, expected, program, loader, workers):
    result = run(package, "predict", LAMBDA, *MODELS, *SHORT, *workers, "-o", "out", cwd=program.folder,
                 environment={"VIRNUCPRO_LOADER": loader})
    assert result.returncode == 0, message(result)
    assert program.tables("out", "lambda") == expected


@loaders()
def test_trials_start_the_program_again(package, program, loader):
    """benchmark's whole runs, and their workers."""
    result = run(package, "benchmark", "--suite", "scaling", "--quick", "--data-size", "tiny", *MODELS, "-d", "cpu",
                 "-t", "2", "-o", "bench", cwd=program.folder, environment={"VIRNUCPRO_LOADER": loader})
    assert result.returncode == 0, message(result)


@loaders()
def test_a_link_leads_to_the_package(package, tmp_path, loader):
    (tmp_path / "a link").symlink_to(package / "bin" / "virnucpro")
    result = subprocess.run([tmp_path / "a link", "utils", "list-devices"], check=False, capture_output=True,
                            env={"VIRNUCPRO_LOADER": loader})
    assert result.returncode == 0, message(result)


@loaders()
def test_processes_have_their_names_and_no_variables_more(package, program, loader):
    program.environment["VIRNUCPRO_LOADER"] = loader
    process = subprocess.Popen(
        [package / "bin" / "virnucpro", "predict", *MODELS, "-", "--name", "reads", *SHORT, "--cpu-workers", "2",
         "-o", "out"], cwd=program.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=program.environment)
    program.wait_for(lambda: len(workers_of(process.pid)) == 2, process)
    program.wait_for_journal(process)
    own = Path("/proc", str(process.pid))
    file = "lib/virnucpro/glibc/ld-linux-x86-64.so.2" if loader == "carried" else "libexec/virnucpro"
    assert (own / "exe").readlink() == package / file
    assert (own / "comm").read_text() == "virnucpro\n"
    for worker in workers_of(process.pid):
        assert b"LD_LIBRARY_PATH" not in Path(f"/proc/{worker}/environ").read_bytes()
        assert Path(f"/proc/{worker}/exe").readlink() == package / file
        assert Path(f"/proc/{worker}/comm").read_text().startswith("virnucpro-w")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 143, process.stderr.read()


@loaders()
def test_exit_codes_and_messages_are_the_programs(package, program, loader):
    theirs = program("predict", "absent.fa", *MODELS, code=1)
    ours = run(package, "predict", "absent.fa", *MODELS, cwd=program.folder, environment={"VIRNUCPRO_LOADER": loader})
    assert (ours.returncode, ours.stderr) == (1, theirs.stderr)


def test_driver_folders_are_searched_after_the_users(package, tmp_path):
    """A container names the driver's in LD_LIBRARY_PATH, which --library-path would hide."""
    trace = run(package, "--version", environment={"VIRNUCPRO_LOADER": "carried", "LD_DEBUG": "libs",
                                                   "LD_LIBRARY_PATH": str(tmp_path)}).stderr.decode()
    # libfmt is not in this package, so it is looked for everywhere.
    places = (f"{package}/lib/virnucpro/glibc", str(tmp_path), "/usr/lib64", "/usr/lib/wsl/lib")
    found = [trace.find(f"{place}/glibc-hwcaps/x86-64-v2:") for place in places]
    assert -1 not in found and found == sorted(found)


@pytest.mark.parametrize("loader, remove, says", [
    ("newest", None, "VIRNUCPRO_LOADER newest: expected host or carried"),
    ("host", "libexec/virnucpro", "libexec/virnucpro cannot be started: No such file or directory"),
    ("carried", "lib/virnucpro/glibc/ld-linux-x86-64.so.2",
     "ld-linux-x86-64.so.2 cannot be started: No such file or directory")])
def test_what_cannot_be_started_is_said(tmp_path, loader, remove, says):
    package = package_in(tmp_path / "package")
    if remove:
        (package / remove).unlink()
    result = run(package, "--version", environment={"VIRNUCPRO_LOADER": loader})
    assert result.returncode == 127
    assert says in message(result)


def test_a_folder_that_the_carried_loader_cannot_search_is_refused(tmp_path):
    package = package_in(tmp_path / "1:2")
    result = run(package, "--version", environment={"VIRNUCPRO_LOADER": "carried"})
    assert result.returncode == 127
    assert 'in a folder whose name has a ":", ";" or "$"' in message(result)
    assert run(package, "--version", environment={"VIRNUCPRO_LOADER": "host"}).returncode == 0

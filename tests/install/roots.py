"""Bare roots of Debian, in which the artefacts are installed and run as on another machine."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from needs import mirror

SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
# Roots lie where no path has a space, which debootstrap does not take.
FOLDER = SOURCE / "build" / "test-install"
# venv comes with the system in every Python's documentation, and from a package in Debian.
PACKAGES = "python3,python3-venv,locales"
# Writes a comma where the program must write a point.
LOCALE = "de_DE.UTF-8"


def checked(command, **options):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", check=False,
                            **options)
    assert result.returncode == 0, f"{command}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
    return result


def base_of(release):
    """A root of the release, which no test changes. Made once, and kept for the next run of tests."""
    base = FOLDER / release
    if not base.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        partial = FOLDER / f"{release}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        checked(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, partial, mirror()])
        checked(["chroot", partial, "localedef", "-i", "de_DE", "-f", "UTF-8", LOCALE])
        partial.rename(base)
    return base


def remove_left_roots():
    """Those of tests that were killed."""
    for path in FOLDER.glob("*.*.*"):
        if not Path("/proc", path.name.split(".")[1]).exists():
            remove(path)


def remove(root):
    checked(["rm", "-rf", "--one-file-system", root])


class Root:
    """A fresh copy of a release's root. Nothing of the host is in it but what a test copies there."""

    def __init__(self, release):
        self.release = release
        base = base_of(release)
        remove_left_roots()
        self.path = Path(tempfile.mkdtemp(dir=FOLDER, prefix=f"{release}.{os.getpid()}."))
        checked(["cp", "-a", "--reflink=auto", f"{base}/.", self.path])

    def remove(self):
        remove(self.path)

    def __truediv__(self, name):
        return self.path / name

    def start(self, *arguments, environment=None, path="/usr/bin:/bin:/usr/sbin:/sbin"):
        """In its own mount namespace, so that nothing stays mounted; all that the environment has is given."""
        variables = {"PATH": path, "HOME": "/root", **(environment or {})}
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', self.path,
             "env", "-i", *(f"{name}={value}" for name, value in variables.items()), *map(str, arguments)],
            capture_output=True, text=True, errors="replace", check=False, timeout=600)

    def __call__(self, *arguments, code=0, **options):
        result = self.start(*arguments, **options)
        assert result.returncode == code, f"{arguments}\n{result.stdout[-3000:]}\n{result.stderr[-3000:]}"
        return result

    def files(self):
        """The paths of all files but Python's caches, and what belongs to no package."""
        theirs = ("data", "dev", "proc", "root", "run", "sys", "tmp", "var/cache", "var/lib/apt", "var/log")
        found = checked(["find", ".", "-xdev", "(", *" -o ".join(f"-path ./{name}" for name in theirs).split(),
                         "-o", "-name", "__pycache__", ")", "-prune", "-o", "!", "-type", "d", "-print"], cwd=self.path)
        return set(found.stdout.splitlines())

    def glibc(self):
        """Its glibc's version, as a pair of numbers."""
        shown = self("ldd", "--version").stdout.splitlines()[0].split()[-1]
        return tuple(map(int, shown.split(".")))

"""The WDL workflow, run by miniwdl. Its containers are this machine, with what miniwdl binds into them."""

import json
import subprocess
import sys
from pathlib import Path

from conftest import CONTIGS, HOSTILE, SOURCE

# Called as: udocker run --workdir FOLDER {-v HOST:CONTAINER} IMAGE COMMAND…
UDOCKER = """#!/usr/bin/env bash
set -euo pipefail
if [ "$1" != run ]; then exit 0; fi # --version, pull
if [ -z "${INSIDE-}" ]; then INSIDE=1 exec unshare --mount "$0" "$@"; fi
mount -t tmpfs tmpfs /mnt
folder=$3
shift 3
while [ "$1" = -v ]; do
  from=${2%%:*} to=${2#*:}
  if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "${to%/*}" && touch "$to"; fi
  mount --bind "$from" "$to"
  shift 2
done
cd "$folder"
exec "${@:2}"
"""


def miniwdl(folder, inputs, path):
    """Exit code, and what it says: outputs or errors."""
    (folder / "udocker").write_text(UDOCKER)
    (folder / "udocker").chmod(0o755)
    (folder / "inputs.json").write_text(json.dumps(inputs))
    settings = {"SCHEDULER__CONTAINER_BACKEND": "udocker", "UDOCKER__EXE": json.dumps([str(folder / "udocker")]),
                "UDOCKER__RUN_OPTIONS": "[]"}
    done = subprocess.run(
        [sys.executable, "-m", "WDL", "run", "--error-json", "--dir", folder / "runs",
         SOURCE / "workflow" / "wdl" / "virnucpro.wdl", "-i", folder / "inputs.json"],
        env={"PATH": path, **{f"MINIWDL__{name}": value for name, value in settings.items()}}, cwd=folder,
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    print(done.stderr)
    return done.returncode, json.loads(done.stdout)


def write(file):
    file.parent.mkdir(exist_ok=True)
    file.touch()
    return str(file)


def test_a_job_for_each_sample(recorder):
    """The samples are named by their files, of which the names are no shell's; the models have the names, too."""
    code, said = miniwdl(recorder.folder, {
        "reads_files": [write(recorder.folder / "reads" / f"{name}.fq") for name in HOSTILE],
        "model_files": [write(recorder.folder / "models" / name) for name in HOSTILE],
        "docker": "none"}, recorder.path)
    assert code == 0, said
    assert said["outputs"]["virnucpro_samples.virnucpro_version"] == ["virnucpro 0.0.0"] * len(HOSTILE)
    calls = {call[call.index("--name") + 1]: call for call in recorder.calls()}
    assert set(calls) == set(HOSTILE)
    for name, call in calls.items():
        assert call[1].endswith(f"/{name}.fq")
        assert call[:1] + call[2:] == [
            "predict", "-m", "300", "--models-dir", "models", "--name", name, "--threads", "8",
            "--no-progress", "-o", "results"]
    assert said["outputs"]["virnucpro_samples.contigs"] == []
    folders = list((recorder.folder / "runs").glob("_LAST/call-*/work/models"))
    assert len(folders) == len(HOSTILE)
    for folder in folders:
        assert {model.name for model in folder.iterdir()} == set(HOSTILE)


def test_contigs(recorder):
    code, said = miniwdl(recorder.folder, {
        "reads_files": [write(recorder.folder / "a.fa")], "model_files": [write(recorder.folder / "model")],
        "data": "contigs", "docker": "none"}, recorder.path)
    assert code == 0, said
    call, = recorder.calls()
    assert call[2:6] == [*CONTIGS, "-m", "300"]
    assert [Path(file).name for file in said["outputs"]["virnucpro_samples.contigs"]] == ["contigs.tsv"]

"""The WDL task, run by miniwdl. Its containers are this machine, with what miniwdl binds into them."""

import json
import os
import subprocess

import pytest
from conftest import HOSTILE, MODELS, PROGRAM, SOURCE, write_reads

MINIWDL = os.environ["VIRNUCPRO_MINIWDL"]
WDL = SOURCE / "workflow" / "wdl" / "virnucpro.wdl"
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


def miniwdl(folder, inputs, *options, path):
    """Exit code, and what it says: outputs or errors."""
    (folder / "udocker").write_text(UDOCKER)
    (folder / "udocker").chmod(0o755)
    (folder / "inputs.json").write_text(json.dumps({"docker": "none", **inputs}))
    settings = {"SCHEDULER__CONTAINER_BACKEND": "udocker", "UDOCKER__EXE": json.dumps([str(folder / "udocker")]),
                "UDOCKER__RUN_OPTIONS": "[]"}
    done = subprocess.run(
        [MINIWDL, "run", "--error-json", "--dir", folder / "runs", *options, WDL, "-i", folder / "inputs.json"],
        env={"PATH": path, **{f"MINIWDL__{name}": value for name, value in settings.items()}}, cwd=folder,
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    print(done.stderr)
    return done.returncode, json.loads(done.stdout)


def write(file):
    file.parent.mkdir(exist_ok=True)
    file.touch()
    return str(file)


def test_wdl_is_well_formed():
    checked = subprocess.run([MINIWDL, "check", "--strict", WDL],
                             check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert checked.returncode == 0, checked.stdout


def test_it_makes_its_outputs(tmp_path):
    write_reads(tmp_path / "gut.fq", seed=3, count=5)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "virnucpro").symlink_to(PROGRAM)
    code, said = miniwdl(
        tmp_path, {"reads": str(tmp_path / "gut.fq"), "model_files": [write(tmp_path / "model")], "options": MODELS},
        "--task", "classify_virnucpro", path=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert code == 0, said
    version = subprocess.run([PROGRAM, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    assert said["outputs"]["classify_virnucpro.virnucpro_version"] == version


def test_names_of_files_are_no_shell(recorder):
    """A job for each sample, named by its file; the models have the names, too."""
    code, said = miniwdl(
        recorder.folder,
        {"reads_files": [write(recorder.folder / "reads" / f"{name}.fq") for name in HOSTILE],
         "model_files": [write(recorder.folder / "models" / name) for name in HOSTILE]}, path=recorder.path)
    assert code == 0, said
    calls = {call[call.index("--name") + 1]: call for call in recorder.calls()}
    assert set(calls) == set(HOSTILE)
    for name, call in calls.items():
        assert call[1].endswith(f"/{name}.fq")
        assert call[:1] + call[2:] == [
            "predict", "-m", "300", "--models-dir", "models", "--name", name, "--rollup", "viral-ngs", "--threads", "8",
            "--no-progress", "-o", "results"]
    folders = list((recorder.folder / "runs").glob("_LAST/call-*/work/models"))
    assert len(folders) == len(HOSTILE)
    for folder in folders:
        assert {model.name for model in folder.iterdir()} == set(HOSTILE)


def test_sample_name_and_options_are_no_shell(recorder):
    for k, name in enumerate(HOSTILE):
        code, said = miniwdl(
            recorder.folder,
            {"reads": write(recorder.folder / "a.fq"), "model_files": [write(recorder.folder / "model")],
             "sample_name": name, "options": ["--bed", name]}, "--task", "classify_virnucpro", path=recorder.path)
        assert code == 0, (name, said)
        call = recorder.calls()[k]
        assert call[2:8] == ["--bed", name, "--models-dir", "models", "--name", name], call


@pytest.mark.parametrize("changed", [{"sample_name": "a\nb"}, {"options": ["-m", "300\n--force"]}, {"reads": "a\nb.fq"},
                                     {"model_files": ["mo\ndel"]}])
def test_names_of_more_than_one_line_are_refused(recorder, changed):
    folder = recorder.folder
    inputs = {"reads": "a.fq", "model_files": ["model"], **changed}
    code, said = miniwdl(
        folder, {**inputs, "reads": write(folder / inputs["reads"]),
                 "model_files": [write(folder / name) for name in inputs["model_files"]]},
        "--task", "classify_virnucpro", path=recorder.path)
    assert code != 0
    assert "a name or an option has more than one line" in "".join(
        file.read_text() for file in (folder / "runs").glob("**/stderr*.txt")), said
    assert not (folder / "calls").exists()

"""Reads that fail: of inputs, models, configuration, journal and output directory.

The run ends with an error of docs/reference/errors.md, or its tables are right. A signal (EINTR) or
a short read changes nothing. Afterwards `--resume` gives the right bytes.
"""

import shutil
import subprocess

import pytest
from conftest import awkward_job
from harness import BIN, SEVERAL, error_in
from lengths import by_length
from points import points

POINTS = 10  # per kind and error, in the full form
HARMLESS = [("find", "EINTR"), ("read", "EINTR"), ("read", "short")]
ERRORS = {
    "find": by_length(("EIO", "EMFILE"), ("EIO", "EMFILE", "ENFILE", "ENOMEM", "ESTALE")),
    "read": ("EIO", "ENOMEM", "end"),
    "look": by_length(("EIO",), ("EIO", "ENOMEM")),
    "list": ("EIO",),
}
FAULTS = [(kind, error) for kind, errors in ERRORS.items() for error in errors]
LACKS = ("EMFILE", "ENFILE", "ENOMEM")  # of the machine; they end the run at once
INPUTS = ("a.fa", "b.fa.gz")
MODELS = ["--dnabert-model", "models/dnabert_s", "--esm-model", "models/esm2",
          "-p", "models/classifier.safetensors", "-e", "60", "--no-progress", "-c", "run.yaml"]


def export(folder, *arguments):
    subprocess.run([BIN, "utils", "export-weights", *arguments], cwd=folder, check=True,
                   capture_output=True)


def job_with_files(folder, **options):
    """A job whose models and configuration are files in its folder, too."""
    job = awkward_job(folder, "whole", models=MODELS, **options)
    (folder / "models").mkdir()
    export(folder, "synthetic:dnabert-s-tiny", "-o", "models/dnabert_s")
    export(folder, "synthetic:esm2_tiny", "-o", "models/esm2")
    export(folder, "synthetic", "--inputs", "80", "-o", "models/classifier.safetensors")
    (folder / "run.yaml").write_text("run:\n  prefetch: 2\n")
    return job


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Such a job, and the calls of an undisturbed run that read its folder."""
    job = job_with_files(tmp_path_factory.mktemp("reads"))
    job.make_reference()
    calls = job.predict(reads=job.folder).calls
    job.clear()
    return job, calls


@pytest.fixture
def job(made):
    yield made[0]
    made[0].clear()


def is_input(path):
    return path.endswith(INPUTS)


def numbers(calls, kind, error, wanted):
    """The calls at which a test lets one fail: those of this kind on the wanted paths."""
    met = [number for called, number, path in calls if called == kind and wanted(path)]
    return [met[at - 1] for at in points(len(met), POINTS, kind, error)]


@pytest.mark.parametrize("kind, error", HARMLESS, ids=lambda word: word)
def test_a_harmless_one_changes_nothing(job, made, kind, error):
    """A signal while the C++ library opens a folder is the exception: it does not try again."""
    folder = str(job.output)
    for number in numbers(made[1], kind, error, lambda path: kind != "find" or path != folder):
        job.check_complete(job.predict(rule=f"fail:{kind}:{error}:{number}", reads=job.folder))
        job.clear()


def check_failed_or_done(job, ended, rule):
    job.check_none_half_written()
    if ended.status == 0:
        job.check_tables(ended)
        return
    named = error_in(ended)
    assert "internal" not in named, f"{rule}: {ended.stderr}"


@pytest.mark.parametrize("kind, error", FAULTS, ids=lambda word: word)
def test_a_read_fails(job, made, kind, error):
    wanted = (lambda path: True) if error in LACKS else (lambda path: not is_input(path))
    for number in numbers(made[1], kind, error, wanted):
        rule = f"fail:{kind}:{error}:{number}"
        check_failed_or_done(job, job.predict(rule=rule, reads=job.folder), rule)
        job.finish()
        job.clear()


@pytest.mark.parametrize("kind, error", [("find", "EIO"), ("find", "EMFILE"), ("read", "EIO")])
def test_a_worker_cannot_read_its_models(tmp_path, made, kind, error):
    job = job_with_files(tmp_path, workers=SEVERAL)
    job.take_reference(made[0])
    for number in by_length((2,), (1, 2, 3)):
        rule = f"fail:{kind}:{error}:{number}"
        ended = job.predict(rule=rule, role="worker", reads=job.folder)
        check_failed_or_done(job, ended, rule)
        assert ended.status != 0 and "models/" in ended.stderr
        job.finish()
        job.clear()


@pytest.mark.parametrize("kind, error", [fault for fault in HARMLESS + FAULTS
                                         if fault[0] in ("find", "read", "look")])
def test_a_read_fails_of_a_finished_run(job, kind, error):
    """Of what other commands read: journal and tables."""
    job.check_complete(job.predict())
    written = job.folder / "tables"
    calls = job.export("-o", written, reads=job.output).calls
    for number in numbers(calls, kind, error, lambda path: True):
        shutil.rmtree(written, ignore_errors=True)
        rule = f"fail:{kind}:{error}:{number}"
        ended = job.export("-o", written, rule=rule, reads=job.output)
        found = job.tables(written)
        assert all(found[name] == job.reference[name] for name in found), rule
        if ended.status == 0 or (kind, error) in HARMLESS:
            assert ended.status == 0 and found == job.reference, f"{rule}: {ended.stderr}"
        else:
            assert "internal" not in error_in(ended), f"{rule}: {ended.stderr}"
    shutil.rmtree(written, ignore_errors=True)
    assert job.export("-o", written).status == 0
    job.check_nothing_is_left()


@pytest.mark.parametrize("kind, error", [("find", "EIO"), ("read", "EIO"), ("read", "end")])
def test_an_input_that_could_not_be_read_is_read_again(job, made, kind, error):
    """Beside the other one, it is left out of the tables, until `--resume`."""
    for number in numbers(made[1], kind, error, is_input):
        ended = job.predict(rule=f"fail:{kind}:{error}:{number}", reads=job.folder)
        assert ended.status in (0, 2), ended.stderr  # 0: the last read finds the end anyway
        job.finish()
        job.clear()

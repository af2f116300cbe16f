"""The Nextflow module, without Nextflow: Groovy makes its commands, as it does for Nextflow, and bash runs them."""

import json
import subprocess

import pytest
import yaml
from conftest import HOSTILE, MODELS, PROGRAM, SOURCE, write_reads

MODULE = SOURCE / "workflow" / "nextflow" / "modules" / "local" / "virnucpro" / "predict"
GROOVY = ["java", "-cp", "/usr/share/java/groovy-all.jar", "groovy.ui.GroovyMain",
          SOURCE / "tests" / "cluster" / "render.groovy"]


def task(block, name, reads, models="models", **ext):
    """What Nextflow gives the module's `script` or `stub`."""
    return {"block": block, "meta": {"id": name}, "reads": reads, "models": models,
            "task": {"ext": ext, "cpus": 1, "process": "VIRNUCPRO_PREDICT"}}


def rendered(tasks):
    """Of each task the command and the outputs, or why it is refused."""
    done = subprocess.run([*GROOVY, MODULE / "main.nf"], input=json.dumps(tasks), check=True, text=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def run(command, folder, path):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, check=False, env={"PATH": path},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check_outputs(outputs, folder):
    assert len(outputs) == 9
    for output in outputs.values():
        assert (folder / output["path"]).is_file(), output
        # As a pattern it may be another file's, or no file's.
        assert not output["glob"] or output["path"] == "versions.yml", output


@pytest.mark.parametrize("block", ["script", "stub"])
def test_commands_make_all_outputs(tmp_path, block):
    write_reads(tmp_path / "gut.fq", seed=3, count=5)
    (tmp_path / "models").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "virnucpro").symlink_to(PROGRAM)
    made = rendered([task(block, "gut", "gut.fq", args=" ".join(MODELS))])[0]
    done = run(made["command"], tmp_path, f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert done.returncode == 0, done.stdout
    check_outputs(made["outputs"], tmp_path)
    version = subprocess.run([PROGRAM, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split()[1]
    assert yaml.safe_load((tmp_path / "versions.yml").read_text()) == {
        "VIRNUCPRO_PREDICT": {"virnucpro": version}}
    assert f'container "virnucpro:{version}"' in (MODULE / "main.nf").read_text()
    assert f"virnucpro={version}" in yaml.safe_load((MODULE / "environment.yml").read_text())["dependencies"]


def test_names_are_no_shell(recorder):
    """Each sample in a folder of its own, with its pairs of reads and its models, which all have hostile names."""
    tasks = [task("script", name, [f"{name}_1.fq", f"{name}_2.fq"], models=name) for name in HOSTILE]
    for k, (name, made) in enumerate(zip(HOSTILE, rendered(tasks))):
        folder = recorder.folder / str(k)
        folder.mkdir()
        done = run(made["command"], folder, recorder.path)
        assert done.returncode == 0, (name, done.stdout)
        assert recorder.calls()[k:] == [[
            "predict", "--paired", f"./{name}_1.fq", f"./{name}_2.fq", "-m", "300", "--models-dir", f"./{name}",
            "--device", "auto", "--threads", "1", "--rollup", "viral-ngs", "--name", name, "--no-progress",
            "-o", f"./{name}"]]
        check_outputs(made["outputs"], folder)


def test_names_are_no_shell_in_stubs(recorder):
    tasks = [task("stub", "gut", "gut.fq", prefix=name) for name in HOSTILE]
    for k, (name, made) in enumerate(zip(HOSTILE, rendered(tasks))):
        folder = recorder.folder / str(k)
        folder.mkdir()
        done = run(made["command"], folder, recorder.path)
        assert done.returncode == 0, (name, done.stdout)
        check_outputs(made["outputs"], folder)
    assert not list(recorder.folder.rglob("pwned*"))


@pytest.mark.parametrize("block", ["script", "stub"])
def test_names_of_more_than_one_line_are_refused(block):
    assert "more than one line" in rendered([task(block, "a\nb", "gut.fq")])[0]["refused"]


def test_its_description_names_the_outputs():
    said = yaml.safe_load((MODULE / "meta.yml").read_text())
    outputs = rendered([task("stub", "gut", "gut.fq")])[0]["outputs"]
    assert {name for output in said["output"] for name in output} == set(outputs)

"""The Nextflow module, without Nextflow: Groovy makes its commands, as it does for Nextflow, and bash runs them."""

import json
import subprocess

import pytest
import yaml
from conftest import HOSTILE, MODELS, PROGRAM, SOURCE, write_reads

MODULE = SOURCE / "workflow" / "nextflow" / "modules" / "local" / "virnucpro" / "predict"
# The JVM's options are those with which it starts fast.
GROOVY = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "/usr/share/java/groovy-all.jar",
          "groovy.ui.GroovyMain", SOURCE / "tests" / "cluster" / "render.groovy"]


def task(block, name, reads, models="models", **ext):
    """What Nextflow gives the module's `script` or `stub`."""
    return {"block": block, "meta": {"id": name}, "reads": reads, "models": models,
            "task": {"ext": ext, "cpus": 1, "process": "VIRNUCPRO_PREDICT"}}


@pytest.fixture(scope="module")
def rendered():
    """Of each task the command and the outputs, or why it is refused."""
    with subprocess.Popen([*GROOVY, MODULE / "main.nf"], text=True, bufsize=1, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as groovy:
        def render(tasks):
            print(json.dumps(tasks), file=groovy.stdin)
            return json.loads(groovy.stdout.readline())
        yield render
    assert groovy.returncode == 0


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
def test_commands_make_all_outputs(rendered, tmp_path, program_path, block):
    write_reads(tmp_path / "gut.fq", seed=3, count=5)
    (tmp_path / "models").mkdir()
    made = rendered([task(block, "gut", "gut.fq", args=" ".join(MODELS))])[0]
    done = run(made["command"], tmp_path, program_path)
    assert done.returncode == 0, done.stdout
    check_outputs(made["outputs"], tmp_path)
    version = subprocess.run([PROGRAM, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split()[1]
    assert yaml.safe_load((tmp_path / "versions.yml").read_text()) == {
        "VIRNUCPRO_PREDICT": {"virnucpro": version}}
    assert f'container "virnucpro:{version}"' in (MODULE / "main.nf").read_text()
    assert f"virnucpro={version}" in yaml.safe_load((MODULE / "environment.yml").read_text())["dependencies"]


@pytest.mark.parametrize("named_by", ["id", "prefix"])
def test_names_are_no_shell(rendered, recorder, named_by):
    """Each sample in a folder of its own, with its reads (one file or a pair) and models, which all have the name."""
    if named_by == "id":
        tasks = [task("script", name, [f"{name}_1.fq", f"{name}_2.fq"], models=name) for name in HOSTILE]
    else:
        tasks = [task("script", "gut", f"{name}.fq", models=name, prefix=name) for name in HOSTILE]
    for k, (name, made) in enumerate(zip(HOSTILE, rendered(tasks), strict=True)):
        folder = recorder.folder / str(k)
        folder.mkdir()
        done = run(made["command"], folder, recorder.path)
        assert done.returncode == 0, (name, done.stdout)
        reads = ["--paired", f"./{name}_1.fq", f"./{name}_2.fq"] if named_by == "id" else [f"./{name}.fq"]
        assert recorder.calls()[k:] == [[
            "predict", *reads, "-m", "300", "--models-dir", f"./{name}", "--device", "auto", "--threads", "1",
            "--rollup", "viral-ngs", "--name", name, "--no-progress", "-o", f"./{name}"]]
        check_outputs(made["outputs"], folder)


def test_names_are_no_shell_in_stubs(rendered, recorder):
    tasks = [task("stub", "gut", "gut.fq", prefix=name) for name in HOSTILE]
    for k, (name, made) in enumerate(zip(HOSTILE, rendered(tasks), strict=True)):
        folder = recorder.folder / str(k)
        folder.mkdir()
        done = run(made["command"], folder, recorder.path)
        assert done.returncode == 0, (name, done.stdout)
        check_outputs(made["outputs"], folder)
    assert not list(recorder.folder.rglob("pwned*"))


@pytest.mark.parametrize("refused", [
    task("script", "a\nb", "gut.fq"), task("script", "gut", "gut.fq", prefix="a\nb"), task("script", "gut", "a\nb.fq"),
    task("script", "gut", ["gut_1.fq", "a\nb.fq"]), task("script", "gut", "gut.fq", models="mo\ndels"),
    task("stub", "a\nb", "gut.fq"), task("stub", "gut", "gut.fq", prefix="a\nb")])
def test_names_of_more_than_one_line_are_refused(rendered, refused):
    assert "more than one line" in rendered([refused])[0]["refused"]


def test_its_description_names_the_outputs(rendered):
    said = yaml.safe_load((MODULE / "meta.yml").read_text())
    outputs = rendered([task("stub", "gut", "gut.fq")])[0]["outputs"]
    assert {name for output in said["output"] for name in output} == set(outputs)

"""The Nextflow module, without Nextflow: Groovy makes its commands, as it does for Nextflow, and bash runs them."""

import json
import subprocess

import pytest
import yaml
from conftest import CONTIGS, HOSTILE, MODELS, PROGRAM, SOURCE, write_reads

MODULE = SOURCE / "workflow" / "nextflow" / "modules" / "local" / "virnucpro" / "predict"
# The JVM's options are those with which it starts fast.
GROOVY = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "/usr/share/java/groovy-all.jar",
          "groovy.ui.GroovyMain", SOURCE / "tests" / "cluster" / "render.groovy"]


def task(block, name, reads, models="models", data="reads", **ext):
    """What Nextflow gives the module's `script` or `stub`."""
    return {"block": block, "meta": {"id": name}, "reads": reads, "models": models, "data": data,
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
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, check=False, env={"PATH": path},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, (command, done.stdout)


def check_outputs(outputs, folder, has_contigs=False):
    assert len(outputs) == 9
    assert [name for name, output in outputs.items() if output.get("optional")] == ["contigs"]
    for name, output in outputs.items():
        assert (folder / output["path"]).is_file() == (name != "contigs" or has_contigs), output
        # As a pattern it may be another file's, or no file's.
        assert not output["glob"] or output["path"] == "versions.yml", output


@pytest.mark.parametrize("data", ["reads", "contigs"])
@pytest.mark.parametrize("block", ["script", "stub"])
def test_commands_make_all_outputs(rendered, tmp_path, program_path, block, data):
    write_reads(tmp_path / "gut.fq", seed=3, count=5)
    (tmp_path / "models").mkdir()
    made = rendered([task(block, "gut", "gut.fq", data=data, args=" ".join(MODELS))])[0]
    run(made["command"], tmp_path, program_path)
    check_outputs(made["outputs"], tmp_path, data == "contigs")
    version = subprocess.run([PROGRAM, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split()[1]
    assert yaml.safe_load((tmp_path / "versions.yml").read_text()) == {
        "VIRNUCPRO_PREDICT": {"virnucpro": version}}
    assert f'container "virnucpro:{version}"' in (MODULE / "main.nf").read_text()
    assert f"virnucpro={version}" in yaml.safe_load((MODULE / "environment.yml").read_text())["dependencies"]


@pytest.mark.parametrize("named_by", ["id", "prefix", "prefix of a stub"])
def test_names_are_no_shell(rendered, recorder, named_by):
    """Each sample in a folder of its own, with its reads (one file or a pair) and models, which all have the name."""
    if named_by == "prefix of a stub":
        tasks = [task("stub", "gut", "gut.fq", prefix=name) for name in HOSTILE]
    elif named_by == "id":
        tasks = [task("script", name, [f"{name}_1.fq", f"{name}_2.fq"], models=name) for name in HOSTILE]
    else:
        tasks = [task("script", "gut", f"{name}.fq", models=name, prefix=name) for name in HOSTILE]
    for k, (name, made) in enumerate(zip(HOSTILE, rendered(tasks), strict=True)):
        folder = recorder.folder / str(k)
        folder.mkdir()
        run(made["command"], folder, recorder.path)
        check_outputs(made["outputs"], folder)
        if named_by == "prefix of a stub":
            assert not list(recorder.folder.rglob("pwned*"))
            continue
        reads = ["--paired", f"./{name}_1.fq", f"./{name}_2.fq"] if named_by == "id" else [f"./{name}.fq"]
        assert recorder.calls()[k:] == [[
            "predict", *reads, "-m", "300", "--models-dir", f"./{name}", "--device", "auto", "--threads", "1",
            "--name", name, "--no-progress", "-o", f"./{name}"]]


@pytest.mark.parametrize("data, args, said, has_contigs", [
    ("contigs", None, [*CONTIGS, "-m", "300"], True), ([], None, ["-m", "300"], False),
    # Of an option that is given twice the last one counts.
    ("contigs", "--rule majority", [*CONTIGS, "--rule", "majority"], False),
    ("reads", "--rule viral-ngs", CONTIGS, True)])
def test_rule_of_the_data(rendered, recorder, data, args, said, has_contigs):
    made = rendered([task("script", "gut", "gut.fa", data=data, args=args)])[0]
    run(made["command"], recorder.folder, recorder.path)
    assert recorder.calls()[0][:len(said) + 3] == ["predict", "./gut.fa", *said, "--models-dir"]
    check_outputs(made["outputs"], recorder.folder, has_contigs)


@pytest.mark.parametrize("block", ["script", "stub"])
@pytest.mark.parametrize("data", ["genomes", "$(touch pwned)", "reads contigs"])
def test_other_data_is_refused(rendered, block, data):
    assert rendered([task(block, "gut", "gut.fa", data=data)])[0] == {
        "refused": f"virnucpro: data is reads or contigs, and not {data}"}


@pytest.mark.parametrize("refused", [
    task("script", "a\nb", "gut.fq"), task("script", "gut", "gut.fq", prefix="a\nb"), task("script", "gut", "a\nb.fq"),
    task("script", "gut", ["gut_1.fq", "a\nb.fq"]), task("script", "gut", "gut.fq", models="mo\ndels"),
    task("stub", "a\nb", "gut.fq"), task("stub", "gut", "gut.fq", prefix="a\nb")])
def test_names_of_more_than_one_line_are_refused(rendered, refused):
    assert "more than one line" in rendered([refused])[0]["refused"]


def test_its_description_names_inputs_and_outputs(rendered):
    said = yaml.safe_load((MODULE / "meta.yml").read_text())
    assert [[name for one in channel for name in one] for channel in said["input"]] == [
        ["meta", "reads"], ["models"], ["data"]]
    outputs = rendered([task("stub", "gut", "gut.fq")])[0]["outputs"]
    assert {name for output in said["output"] for name in output} == set(outputs)

"""The WDL task, without a container: miniwdl makes its commands, as it does to run them, and bash runs them."""

import subprocess
import sys

import pytest
from conftest import CONTIGS, HOSTILE, MODELS, PROGRAM, SOURCE, write_reads
from WDL import StdLib, Value, load, values_from_json

FILE = SOURCE / "workflow" / "wdl" / "virnucpro.wdl"
TASK = load(str(FILE)).tasks[0]


class Functions(StdLib.Base):
    """WDL's functions, for a task that runs in this folder."""

    def __init__(self, folder):
        super().__init__(TASK.effective_wdl_version, write_dir=str(folder / "written"))
        self.folder = folder

    def _virtualize_filename(self, filename):
        return filename

    def _devirtualize_filename(self, filename):
        return str(self.folder / filename)


class Task:
    """The task with its inputs, in a folder of its own."""

    def __init__(self, folder, inputs):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.functions = Functions(folder)
        self.values = values_from_json({"docker": "none", **inputs}, TASK.available_inputs, TASK.required_inputs)
        for declaration in TASK.inputs + TASK.postinputs:
            if not self.values.has_binding(declaration.name):
                self.values = self.values.bind(declaration.name, self.evaluate(declaration))

    def evaluate(self, declaration):
        return declaration.expr.eval(self.values, self.functions).coerce(declaration.type)

    def run(self, path, code=0):
        command = TASK.command.eval(self.values, self.functions).value
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, check=False, env={"PATH": path}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == code, (command, done.stdout)
        return done.stdout

    def outputs(self):
        """The value of each output; its files must be there, but for contigs.tsv, which may be none."""
        def found(file):
            is_there = (self.folder / file.value).is_file()
            assert is_there or file.value == "results/contigs.tsv", file.value
            return file.value if is_there else None
        return {output.name: Value.rewrite_paths(self.evaluate(output), found).json for output in TASK.outputs}


def test_file_is_well_formed():
    """As miniwdl says; without shellcheck, which it runs where that is installed."""
    checked = subprocess.run(
        [sys.executable, "-m", "WDL", "check", "--strict", "--suppress", "CommandShellCheck", FILE],
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("data, contigs", [("reads", None), ("contigs", "results/contigs.tsv")])
def test_it_makes_its_outputs(tmp_path, program_path, data, contigs):
    write_reads(tmp_path / "gut.fq", seed=3, count=5)
    task = Task(tmp_path / "task",
                {"reads": str(tmp_path / "gut.fq"), "model_files": [str(tmp_path / "model")], "options": MODELS,
                 "data": data})
    task.run(program_path)
    version = subprocess.run([PROGRAM, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    assert task.outputs()["virnucpro_version"] == version
    assert task.outputs()["contigs"] == contigs


def test_names_of_files_are_no_shell(recorder):
    """Each sample is named by its file; the models have the names, too."""
    models = [recorder.folder / "models" / name for name in HOSTILE]
    for k, name in enumerate(HOSTILE):
        reads = str(recorder.folder / "reads" / f"{name}.fq")
        task = Task(recorder.folder / str(k), {"reads": reads, "model_files": list(map(str, models))})
        task.run(recorder.path)
        assert recorder.calls()[k:] == [[
            "predict", reads, "-m", "300", "--models-dir", "models", "--name", name, "--threads", "8",
            "--no-progress", "-o", "results"]]
        assert {link.name: link.readlink() for link in (task.folder / "models").iterdir()} == {
            model.name: model for model in models}
        task.outputs()


def test_sample_name_and_options_are_no_shell(recorder):
    for k, name in enumerate(HOSTILE):
        task = Task(recorder.folder / str(k), {
            "reads": "/a.fq", "model_files": ["/model"], "sample_name": name, "options": ["--bed", name]})
        task.run(recorder.path)
        assert recorder.calls()[k:] == [[
            "predict", "/a.fq", "--bed", name, "--models-dir", "models", "--name", name, "--threads", "8",
            "--no-progress", "-o", "results"]]
        task.outputs()


@pytest.mark.parametrize("data, options, said, has_contigs", [
    ("contigs", ["-m", "300"], [*CONTIGS, "-m", "300"], True), ("reads", [], [], False),
    # Of an option that is given twice the last one counts.
    ("contigs", ["--rule", "majority"], [*CONTIGS, "--rule", "majority"], False),
    ("reads", CONTIGS, CONTIGS, True)])
def test_rule_of_the_data(recorder, data, options, said, has_contigs):
    task = Task(recorder.folder / "task", {
        "reads": "/a.fa", "model_files": ["/model"], "data": data, "options": options})
    task.run(recorder.path)
    assert recorder.calls()[0][:len(said) + 3] == ["predict", "/a.fa", *said, "--models-dir"]
    assert (task.outputs()["contigs"] is not None) == has_contigs


@pytest.mark.parametrize("data", ["genomes", "", "$(touch pwned)", "reads contigs"])
def test_other_data_is_refused(recorder, data):
    task = Task(recorder.folder / "task", {"reads": "/a.fa", "model_files": ["/model"], "data": data})
    assert f"virnucpro.wdl: data is reads or contigs, and not {data}\n" in task.run(recorder.path, code=1)
    assert not (recorder.folder / "calls").exists() and not list(recorder.folder.rglob("pwned*"))


@pytest.mark.parametrize("changed", [{"sample_name": "a\nb"}, {"options": ["-m", "300\n--force"]},
                                     {"data": "reads\ncontigs"}, {"reads": "/a\nb.fq"}, {"model_files": ["/mo\ndel"]}])
def test_names_of_more_than_one_line_are_refused(recorder, changed):
    task = Task(recorder.folder / "task",
                {"reads": "/a.fq", "model_files": ["/model"], "sample_name": "gut", **changed})
    assert "a name or an option has more than one line" in task.run(recorder.path, code=1)
    assert not (recorder.folder / "calls").exists()

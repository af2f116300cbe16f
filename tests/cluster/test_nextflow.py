"""The Nextflow module, without Nextflow: its commands are run by bash with the values that Nextflow would put in."""

import re
import subprocess
import textwrap

import pytest
import yaml
from conftest import MODELS, PROGRAM, SOURCE, write_reads

MODULE = SOURCE / "workflow" / "nextflow" / "modules" / "local" / "virnucpro" / "predict"
VALUES = {"prefix": "gut", "meta.id": "gut", "paired": "", "reads": "gut.fq", "args": " ".join(MODELS),
          "models": "models", "device": "cpu", "task.cpus": "1", "task.process": "VIRNUCPRO_PREDICT"}


def filled(text):
    """What Nextflow makes of a command: values for names, and one backslash less."""
    text = re.sub(r"(?<!\\)\$\{?([a-z.]*[a-z])\}?", lambda name: VALUES[name.group(1)], text)
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def commands():
    """Those of `script` and of `stub`."""
    found = re.findall(r'"""\n(.*?)"""', (MODULE / "main.nf").read_text(), re.DOTALL)
    return [textwrap.dedent(command) for command in found]


def outputs():
    """The name of each output and its path."""
    found = re.findall(r'path\(?\s*"([^"]+)"\)?\s*, emit: (\w+)', (MODULE / "main.nf").read_text())
    return {name: filled(path) for path, name in found}


@pytest.mark.parametrize("which", [0, 1], ids=["script", "stub"])
def test_commands_make_all_outputs(tmp_path, which):
    write_reads(tmp_path / "gut.fq", seed=3, count=5)
    (tmp_path / "models").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "virnucpro").symlink_to(PROGRAM)
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    subprocess.run(["bash", "-euo", "pipefail", "-c", filled(commands()[which])], cwd=tmp_path, check=True,
                   env={"PATH": path})
    assert len(outputs()) == 9
    for name in outputs().values():
        assert (tmp_path / name).is_file(), name
    version = subprocess.run([PROGRAM, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split()[1]
    assert yaml.safe_load((tmp_path / "versions.yml").read_text()) == {
        "VIRNUCPRO_PREDICT": {"virnucpro": version}}
    assert f'container "virnucpro:{version}"' in (MODULE / "main.nf").read_text()
    assert f"virnucpro={version}" in yaml.safe_load((MODULE / "environment.yml").read_text())["dependencies"]


def test_its_description_names_the_outputs():
    said = yaml.safe_load((MODULE / "meta.yml").read_text())
    assert {name for output in said["output"] for name in output} == set(outputs())

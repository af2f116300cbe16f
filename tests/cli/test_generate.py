"""generate: sizes, lengths, several files, and the metadata beside them."""

import hashlib
import json
import os
import resource
import signal
import subprocess

import pytest
from conftest import MODELS, fastq, files_in, limited, message

COUNTS = {"tiny": 10, "small": 100, "medium": 1000, "large": 10000}


def metadata(path):
    return json.loads(path.read_text())


def lengths(text):
    found = []
    for line in text.decode().splitlines():
        if line.startswith(">"):
            found.append(0)
        else:
            found[-1] += len(line)
    return found


def sha256sum(folder, *names):
    """As users would check it."""
    said = subprocess.run(["sha256sum", *names], cwd=folder, capture_output=True, check=True)
    return [line.split()[0] for line in said.stdout.decode().splitlines()]


@pytest.mark.parametrize("preset", COUNTS)
def test_presets(program, preset):
    by_name = program("generate", "--preset", preset, "--length", "60", "-o", "-").stdout
    assert by_name.count(b">") == COUNTS[preset]
    assert program("generate", "--count", COUNTS[preset], "--length", "60", "--coding", "1", "-o",
                   "-").stdout == by_name
    random = program("generate", "--preset", preset, "--length", "60", "--coding", "0", "-o", "-").stdout
    assert random == program("generate", "--count", COUNTS[preset], "--length", "60", "-o", "-").stdout


@pytest.mark.parametrize("preset, least, most", [("tiny", 200, 500), ("small", 200, 800),
                                                 ("medium", 200, 1500), ("large", 100, 2000)])
def test_a_preset_has_v2_s_lengths_and_coding_frames(program, preset, least, most):
    text = program("generate", "--preset", preset, "-o", "x.fa") and (program.folder / "x.fa").read_bytes()
    about = metadata(program.folder / "x.fa.json")
    assert about["settings"]["length"] == f"uniform:{least}-{most}"
    assert about["coding_sequences"] == COUNTS[preset]
    found = lengths(text)
    assert least <= min(found) and max(found) <= most
    assert max(found) - min(found) > (most - least) / 2


def test_the_largest_preset_is_offered(program):
    assert b"production (6,000,000, 150)" in b" ".join(program("generate", "--help").stdout.split())


def test_metadata_of_one_file(program):
    assert program("generate", "--preset", "small", "--seed", "11", "--gc", "0.35", "--coding", "0.25",
                   "--length", "uniform:50-350", "-o", "x.fa").returncode == 0
    about = metadata(program.folder / "x.fa.json")
    text = (program.folder / "x.fa").read_bytes()
    found = sorted(lengths(text))
    assert set(about) == {"schema", "program_version", "source", "settings", "sequences", "bases",
                          "gc_bases", "gc", "coding_sequences", "lengths", "files"}
    assert about["schema"] == "virnucpro-data-set-1"
    assert program("--version").stdout.decode().split()[1] == about["program_version"]
    assert about["settings"] == {"preset": "small", "count": 100, "length": "uniform:50-350",
                                 "length_source_hash": None, "seed": 11, "gc": 0.35, "coding": 0.25,
                                 "files": 1}
    assert (about["sequences"], about["bases"]) == (100, sum(found))
    assert about["lengths"] == {"min": found[0], "mean": sum(found) / 100, "median": found[49],
                                "max": found[-1]}
    letters = b"".join(line for line in text.splitlines() if not line.startswith(b">"))
    assert about["gc_bases"] == letters.count(b"G") + letters.count(b"C")
    assert about["gc"] == pytest.approx(about["gc_bases"] / len(letters)) == pytest.approx(0.35, abs=0.02)
    assert about["coding_sequences"] == 25
    assert about["files"] == [{"name": "x.fa", "sequences": 100, "bases": sum(found),
                               "bytes": len(text), "sha256": sha256sum(program.folder, "x.fa")[0]}]


# The same on every machine.
@pytest.mark.parametrize("flags, expected", [
    (["--preset", "tiny", "--length", "500", "--coding", "0"], "4137f333dc0ddb213266da0218e750673087659c21a7c4a995d2d3b362a166a3"),
    (["--preset", "medium", "--length", "uniform:100-900", "--coding", "0"],
     "c73d52caa6b4940b59518831465a9d57e1e3c2b36a0677a71fe4e57123e96b99"),
    (["--preset", "large", "--length", "lognormal:400,0.5", "--coding", "0"],
     "6c8e07c27e58ce2b3babf096abb832319eee955bbf31b0bab27457802ab92d95"),
])
def test_sha256_on_every_machine(program, flags, expected):
    assert hashlib.sha256(program("generate", *flags, "-o", "-").stdout).hexdigest() == expected
    for name in ("a.fa", "b.fa"):
        assert program("generate", *flags, "-o", name).returncode == 0
        assert metadata(program.folder / f"{name}.json")["files"][0]["sha256"] == expected
    assert sha256sum(program.folder, "a.fa", "b.fa") == [expected] * 2


def test_several_files(program):
    flags = ["generate", "-n", "47", "--length", "lognormal:300,0.4,90-900", "--coding", "1"]
    whole = program(*flags, "-o", "-").stdout
    assert program(*flags, "--files", "10", "-o", "data/reads/").returncode == 0
    folder = program.folder / "data" / "reads"
    names = [f"reads_{number:02}.fa" for number in range(1, 11)]
    assert sorted(path.name for path in folder.iterdir()) == ["metadata.json", *names]
    assert b"".join((folder / name).read_bytes() for name in names) == whole
    about = metadata(folder / "metadata.json")
    assert [file["name"] for file in about["files"]] == names
    assert [file["sha256"] for file in about["files"]] == sha256sum(folder, *names)
    assert sum(file["sequences"] for file in about["files"]) == 47
    assert {file["sequences"] for file in about["files"]} == {4, 5}


def test_several_files_are_inputs_of_one_run(program):
    assert program("generate", "-n", "6", "--length", "120", "--coding", "1", "--files", "3",
                   "-o", "reads").returncode == 0
    files = sorted((program.folder / "reads").glob("*.fa"))
    program("predict", *MODELS, "-e", "100", "-o", "out", *files, code=0)
    rows = (program.folder / "out" / "sequences.tsv").read_text()
    assert all(f"seq_{number}\t" in rows for number in range(1, 7))


def test_lengths_of_a_file(program, sequences):
    (program.folder / "own.fq").write_text(fastq({**sequences, "short": "ACGT", "tiny": "A"}))
    flags = ["generate", "-n", "3000", "--length", "from:own.fq"]
    assert program(*flags, "-o", "x.fa").returncode == 0
    found = lengths((program.folder / "x.fa").read_bytes())
    assert set(found) == {1, 4, 700}
    assert found.count(700) / 3000 == pytest.approx(6 / 8, abs=0.04)
    about = metadata(program.folder / "x.fa.json")
    assert about["settings"]["length"] == "from:own.fq"
    assert len(about["settings"]["length_source_hash"]) == 32
    piped = program("generate", "-n", "3000", "--length", "from:-", "-o", "-",
                    stdin=(program.folder / "own.fq").read_bytes())
    assert piped.stdout == (program.folder / "x.fa").read_bytes()


@pytest.mark.parametrize("content, expected", [
    (None, "input not found"), ("", "the file has no sequence"), ("nonsense", "input format is not known"),
    ("@a\nACGT\n+\nII", "own.fq: record 1")])
def test_lengths_of_a_file_that_has_none(program, content, expected):
    if content is not None:
        (program.folder / "own.fq").write_text(content)
    result = program("generate", "-n", "3", "--length", "from:own.fq", "-o", "x.fa", code=1)
    assert "own.fq" in message(result) and expected in message(result)
    assert not (program.folder / "x.fa").exists()


def test_the_file_that_lengths_come_from_is_kept(program, sequences):
    own = program.folder / "own.fa"
    own.write_text(fastq(sequences))
    (program.folder / "own.fa.json").write_text("{}")
    flags = ["generate", "-n", "3", "-f", "--length"]
    os.link(own, program.folder / "x.fa.json")
    for source, output in (("own.fa", "own.fa"), ("./own.fa", "own.fa"), ("own.fa", "x.fa")):
        result = program(*flags, f"from:{source}", "-o", output, code=1)
        assert "own.fa" in message(result)
        assert own.read_text() == fastq(sequences)
    for output in ("y.fa", "y"):
        partial = own.rename(program.folder / f"{output}{'' if '.' in output else '.json'}.virnucpro-partial")
        program(*flags, f"from:{partial}", "-o", output, code=1)
        own = partial.rename(own)
    assert program("generate", "-n", "8", "--files", "4", "-o", "reads").returncode == 0
    result = program(*flags, "from:reads/reads_4.fa", "--files", "2", "-o", "reads")
    assert "is an input, and the output would replace it" in message(result)
    assert own.read_text() == fastq(sequences)
    assert (program.folder / "reads" / "reads_4.fa").exists()


def test_only_files_of_the_data_set_are_removed_with_it(program):
    """Metadata may list anything."""
    flags = ["generate", "-n", "30", "--length", "300", "-o", "reads", "--files"]
    program(*flags, "5", code=0)
    folder = program.folder / "reads"
    about = metadata(folder / "metadata.json")
    mine = {"precious.txt": "mine", "reads_1.fa.gz": "mine", "reads_4.fa": ">mine", "reads_7.fa": "mine"}
    for name, text in mine.items():
        (folder / name).write_text(text)
        listed = {"name": name, "bytes": len(text), "sha256": sha256sum(folder, name)[0]}
        about["files"] += [listed] if name != "reads_4.fa" else []
    (folder / "metadata.json").write_text(json.dumps(about))
    program(*flags, "2", "-f", code=0)
    assert {name: (folder / name).read_text() for name in mine} == mine
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["metadata.json", "reads_1.fa", "reads_2.fa", *mine])


def test_no_log_and_no_configuration_is_replaced(program):
    flags = ["generate", "-n", "9", "-f", "-o", "reads", "--files", "2"]
    (program.folder / "reads").mkdir()
    for name in ("reads_1.fa", "metadata.json"):
        given = program.folder / "reads" / name
        given.write_text("{}")
        assert "is an input" in message(program("-c", given, *flags, code=1))
        assert given.read_text() == "{}"
        given.unlink()
        assert "is the log file" in message(program("-l", given, *flags, code=1))
        assert "command line" in given.read_text()
    (program.folder / "empty.fa").touch()
    result = program("-l", "empty.fa", "generate", "-n", "9", "--length", "from:empty.fa", "-o", "x.fa", code=1)
    assert "it is the same file as --length" in message(result)
    (program.folder / "reads.json").write_text("{}")  # as one file's metadata would be called
    program("-c", "reads.json", *flags, code=0)


def test_data_and_metadata_replace_nothing(program):
    folder = program.folder / "reads"
    folder.mkdir()
    flags = ["generate", "-n", "6", "-o", "reads", "--files"]
    assert program(*flags, "3").returncode == 0
    before = files_in(folder)
    assert "reads: output is there already: the folder is not empty: it has " in message(program(*flags, "2", code=1))
    (program.folder / "x.fa.json").write_text("mine")
    one = ["generate", "-n", "3", "-o", "x.fa"]
    assert "x.fa.json: output is there already" in message(program(*one, code=1))
    assert (program.folder / "x.fa.json").read_text() == "mine" and not (program.folder / "x.fa").exists()
    program(*one, "--force", code=0)
    assert metadata(program.folder / "x.fa.json")["sequences"] == 3
    assert files_in(folder) == before
    (folder / "notes").write_text("mine")
    assert program(*flags, "2", "-f").returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "metadata.json", "notes", "reads_1.fa", "reads_2.fa"]


@pytest.mark.parametrize("flags, kept", [(["-o", "x.fa"], []), (["--files", "3", "-o", "reads"], ["reads"])])
def test_a_full_disk_leaves_nothing(program, flags, kept):
    """As with `ulimit -f`: the largest file does not fit."""
    result = program("generate", "-n", "30", "--length", "20000", *flags,
                     **limited(resource.RLIMIT_FSIZE, 150000), code=1)
    assert "output cannot be written" in message(result)
    assert [path.name for path in program.folder.rglob("*")] == kept


def test_a_full_disk_costs_no_earlier_data_set(program):
    flags = ["generate", "-n", "30", "--files", "3", "-o", "reads", "--length"]
    program(*flags, "100", code=0)
    before = files_in(program.folder / "reads")
    result = program(*flags, "uniform:0-50000", "-f", **limited(resource.RLIMIT_FSIZE, 200000))
    assert "output cannot be written" in message(result)
    assert files_in(program.folder / "reads") == before


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_it_leaves_nothing(program, number, code):
    process = program.start("generate", "--preset", "production", "--files", "2", "-o", "reads",
                            stderr=subprocess.PIPE)
    partial = program.folder / "reads" / "reads_1.fa.virnucpro-partial"
    program.wait_for(lambda: partial.exists() and partial.stat().st_size > 0, process)
    process.send_signal(number)
    assert process.wait(timeout=10) == code
    process.communicate()
    assert list((program.folder / "reads").iterdir()) == []

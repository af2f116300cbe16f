"""No option lets the program overwrite or remove a file that it reads."""

import os
import subprocess

import pytest
from conftest import BIN, MODELS, fasta, message


@pytest.fixture
def reads(sequences, tmp_path):
    path = tmp_path / "reads.fa"
    path.write_text(fasta(sequences))
    return path


def assert_refused(result, path, before):
    assert result.returncode == 1
    assert path.read_bytes() == before
    assert path.name in message(result)


NAMES = ("virus.fasta", "reads_chunked100.fa", "embeddings.h5")


def test_force_spares_inputs_in_the_output_directory(program, reads, tmp_path):
    program.predict(reads, "-e", 100, "-o", "out", "-k", "--virus-fasta", code=0)
    for name in NAMES:
        inside = tmp_path / "out" / name
        before = inside.read_bytes()
        (tmp_path / f"link to {name}").symlink_to(inside)
        for path in (inside, f"link to {name}"):
            result = program.predict(path, "-o", "out", "--force", code=1)
            assert inside.read_bytes() == before
            assert "the output would replace it" in message(result)


@pytest.mark.parametrize("name", NAMES)
def test_force_spares_what_no_run_wrote(program, reads, tmp_path, name):
    (tmp_path / "out").mkdir()
    inside = reads.rename(tmp_path / "out" / name)
    before = inside.read_bytes()
    result = program.predict(inside, "-o", "out", "--force", "--name", "reads")
    assert_refused(result, inside, before)
    assert list((tmp_path / "out").iterdir()) == [inside]


def test_a_log_goes_into_no_other_file(program, reads):
    assert_refused(program.predict(reads, "-o", "out", "-l", reads), reads, reads.read_bytes())


def test_a_log_goes_on(program, reads, tmp_path):
    log = tmp_path / "run.log"
    for output in ("one", "two"):
        assert program.predict(reads, "-e", 100, "-o", output, "-l", log).returncode == 0
    assert log.read_text().count("command line:") == 2


@pytest.mark.parametrize("command", [["embed"], ["profile", "-m", "esm2", "--test-file"]], ids=["embed", "profile"])
def test_embeddings_and_figures_replace_no_input(program, reads, tmp_path, command):
    os.link(reads, tmp_path / "other.fa")
    for output in (reads, "other.fa"):
        result = program(*command, reads, *MODELS[:4], "-o", output, "--force")
        assert_refused(result, reads, reads.read_bytes())


def test_tuning_replaces_no_input(program, reads, tmp_path):
    (tmp_path / "tune").mkdir()
    mine = reads.rename(tmp_path / "tune" / "tune.md")
    before = mine.read_bytes()
    result = program("tune", *MODELS, "--test-file", mine, "--force")
    assert_refused(result, mine, before)
    assert list((tmp_path / "tune").iterdir()) == [mine]


SAME = (  # options, and what is said of them
    (["--virus-fastq", "w", "--trace", "w.fastq.gz"], "--trace w.fastq.gz: it is the same file as --virus-fastq"),
    (["--virus-fastq", "w", "-l", "w_2.fastq.gz"], "--virus-fastq w_2.fastq.gz: it is the same file as --log-file"),
    (["--trace", "./x", "--metrics-file", "x"], "x: it is the same file as --metrics-file"),
    (["--trace", "folder/../x", "--metrics-file", "x"], "x: it is the same file as --metrics-file"),
    (["--trace", "link", "--metrics-file", "x"], "--trace link: it is the same file as --metrics-file"),
    (["--trace", "x", "-l", "x"], "--trace x: it is the same file as --log-file"),
    (["-l", "empty.fa"], "--log-file empty.fa: it is the same file as INPUT"),
    (["-l", "folder/../empty.fa"], "the same file as INPUT"),
    (["-l", "hard.fa"], "--log-file hard.fa: it is the same file as INPUT"),
    (["-l", "to_empty.fa"], "--log-file to_empty.fa: it is the same file as INPUT"),
    (["-l", "new.fa", "--reference", "new.fa"], "--log-file new.fa: it is the same file as --reference"),
    (["-l", "c.yaml", "-c", "c.yaml"], "--log-file c.yaml: it is the same file as --config"),
    (["-l", "out/sequences.tsv"], "runs write a file of that name"),
    (["-l", "out/run.db"], "runs write a file of that name"),
    (["-l", "out/run.db-shm"], "runs write a file of that name"),
    (["-l", "out/reads_merged/prediction_results.txt"], "runs write a file of that name"),
)


@pytest.mark.parametrize("options, said", SAME, ids=[" ".join(options) for options, said in SAME])
def test_no_file_is_written_that_is_named_twice(program, reads, tmp_path, options, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("x")  # which is not there
    (tmp_path / "empty.fa").touch()
    os.link(tmp_path / "empty.fa", tmp_path / "hard.fa")
    (tmp_path / "to_empty.fa").symlink_to("empty.fa")
    (tmp_path / "c.yaml").touch()
    before = sorted(tmp_path.rglob("*"))
    result = program.predict(reads, "empty.fa", "-o", "out", *options, code=1)
    assert said in message(result)
    assert sorted(tmp_path.rglob("*")) == before
    assert not (tmp_path / "empty.fa").read_bytes()


def test_what_cannot_be_lost_may_be_named_twice(program, reads, tmp_path):
    program.predict(reads, reads, "-e", 100, "-o", "out", "-l", "/dev/null", "--trace", "t",
                    "--name", "t", code=0)
    result = program.predict(reads, "-o", "out", "-l", "/dev/null", "--trace", "/dev/null", code=1)
    assert "same file" not in message(result)


def test_a_log_is_no_table(program, reads, tmp_path):
    """The table's name comes from the alignments."""
    program.predict(reads, "-e", 100, "-o", "run", code=0)
    (tmp_path / "a.sam").write_text("@SQ\tSN:x\tLN:611\n")
    result = program("label-reads", "run", "a.sam", "-f", "-l", "a_reads.tsv", code=1)
    assert "a_reads.tsv is the log file" in message(result)


def test_what_standard_input_is(program, reads):
    before = reads.read_bytes()
    for command in (["embed", "-", *MODELS[:4], "-o", reads, "-f"], ["profile", "-m", "esm2", *MODELS[:4], "--test-file", "-",
                                                                      "-o", reads, "-f"]):
        with open(reads, "rb") as stdin:
            done = subprocess.run([BIN, *map(str, command)], stdin=stdin, capture_output=True, check=False, cwd=program.folder)
        assert done.returncode == 1 and b"it is the same file as" in done.stderr, done.stderr
    program.predict(reads, "-e", 100, "--threshold", 0, "--virus-fasta", "-o", "out", code=0)
    (program.folder / "out" / "run.db").rename(program.folder / "elsewhere")  # so that it may be cleared
    with open(program.folder / "out" / "virus.fasta", "rb") as stdin:
        done = subprocess.run([BIN, "predict", "-", *MODELS, "-o", "out", "-f"], stdin=stdin, capture_output=True, check=False,
                              cwd=program.folder)
    assert done.returncode == 1 and b"is an input" in done.stderr, done.stderr
    assert reads.read_bytes() == before


def test_the_inputs_of_a_run_are_no_output_of_others(program, reads, tmp_path):
    program.predict(reads, "-e", 100, "--threshold", 0, "--virus-fasta", "-o", "first", code=0)
    viruses = tmp_path / "first" / "virus.fasta"
    for k in (0, 1):
        program.predict(viruses, "-e", 100, "--shard", f"{k}/2", "-o", f"s{k}", code=0)
    program.predict(viruses, "-e", 100, "-o", "second", code=0)
    before = viruses.read_bytes()
    for command in (["export", "second"], ["merge", "s0", "s1"]):
        result = program(*command, "-o", "first", "-f", code=1)
        assert "is an input, and the output would replace it" in message(result)
        assert viruses.read_bytes() == before


def test_a_run_stays_where_its_successor_has_nothing_to_read(program, reads, tmp_path):
    program.predict(reads, "-e", 100, "-o", "out", code=0)
    before = program.tables("out", "reads")
    (tmp_path / "no.fa").write_bytes(b"\0\1\2")
    program.predict("no.fa", "-e", 100, "-o", "out", "-f", code=1)
    assert program.tables("out", "reads") == before
    program.predict("no.fa", "-e", 100, "-o", "new", code=1)
    assert (tmp_path / "new" / "failed_inputs.txt").exists()


def test_alignments_are_no_table_of_reads(program, reads, tmp_path):
    """The table's name comes from the alignments, which are a link to a file of that name."""
    program.predict(reads, "-e", 100, "-o", "run", code=0)
    (tmp_path / "a_reads.tsv").write_text("@SQ\tSN:x\tLN:611\n")
    (tmp_path / "a.sam").symlink_to("a_reads.tsv")
    result = program("label-reads", "run", "a.sam", "-f", code=1)
    assert "is an input" in message(result)
    assert (tmp_path / "a_reads.tsv").read_text().startswith("@SQ")


def test_the_reference_of_a_run_is_no_output_of_others(program, reads, tmp_path):
    program.predict(reads, "-e", 100, "--threshold", 0, "--virus-fasta", "-o", "first", code=0)
    reference = tmp_path / "first" / "virus.fasta"
    for k in (0, 1):
        program.predict(reads, "-e", 100, "--reference", reference, "--shard", f"{k}/2", "-o", f"s{k}", code=0)
    program.predict(reads, "-e", 100, "--reference", reference, "-o", "run", code=0)
    before = reference.read_bytes()
    (tmp_path / "a.sam").write_text("@SQ\tSN:x\tLN:611\n")
    for command in (["export", "run", "-o", "first"], ["merge", "s0", "s1", "-o", "first"],
                    ["label-reads", "run", "a.sam", "-o", tmp_path / "link"]):
        (tmp_path / "link").unlink(missing_ok=True)
        os.link(reference, tmp_path / "link")
        assert "virus.fasta is an input" in message(program(*command, "-f", code=1))
    assert reference.read_bytes() == before


def test_a_model_that_is_read_is_no_output(program, reads, tmp_path):
    program("utils", "export-weights", "synthetic:esm2_tiny", "-o", "em", code=0)
    weights = tmp_path / "em" / "model.safetensors"
    before = weights.read_bytes()
    for given in ("em/model.safetensors", "em"):
        for command in (["embed", reads, "-e", 100, "--what", "esm2"], ["profile", "-m", "esm2"]):
            result = program(*command, "--esm-model", given, "-o", "em/../em/model.safetensors", "-f", code=1)
            assert "--esm-model" in message(result)
    result = program("embed", reads, "--esm-model", "em", "-o", "e.h5", "-l", "em/tokenizer.json", code=1)
    assert "it lies in the model folder of --esm-model" in message(result)
    (tmp_path / "links").mkdir()
    for file in (tmp_path / "em").iterdir():
        (tmp_path / "links" / file.name).symlink_to(file)
    for given, output in (("links", weights), (weights, "em/config.json")):
        program("embed", reads, "--esm-model", given, "-o", output, "-f", code=1)
    for text, said in (("features: {esm: {model_name: em}}", "the same file as features.esm.model_name"),
                       ("run: {models_dir: em, classifier: model.safetensors}", "the same file as run.classifier")):
        (tmp_path / "c.yaml").write_text(text)
        result = program.predict(reads, "-c", "c.yaml", "-o", "out", "--trace", weights, code=1)
        assert said in message(result)
    assert weights.read_bytes() == before
    assert not (tmp_path / "em" / "tokenizer.json").exists()


def test_standard_output_is_not_replaced(program, tmp_path):
    """By its name it seems to be the file that the shell opened; the name would become a file."""
    (tmp_path / "link").symlink_to("/proc/self/fd/1")
    with open(tmp_path / "out.fa", "wb") as file:
        done = subprocess.run([BIN, "generate", "-n", "2", "-f", "-o", "link"], cwd=tmp_path, stdout=file,
                              stderr=subprocess.PIPE, check=False, env=program.environment)
    assert done.returncode == 1 and b"link is not a regular file" in done.stderr
    assert (tmp_path / "link").is_symlink()

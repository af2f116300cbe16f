"""The last lines of a run: what was found, where it is, and what to do next. The commands that they
name are run."""

import json
import re
import shlex
import signal
import subprocess

import pytest
from conftest import BIN, MODELS, SHORT, fasta, fastq, message


def lines_of(result):
    return result.stderr.decode().splitlines()


def next_of(lines):
    [step] = [line.removeprefix("next: ") for line in lines if line.startswith("next: ")]
    return step


def without_mark(path):
    """Takes the note that weights are synthetic off a file of safetensors."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + size])
    del header["__metadata__"]
    path.write_bytes(content[:8] + json.dumps(header, separators=(",", ":")).encode().ljust(size) + content[8 + size:])


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Options of models that count as real ones."""
    folder = tmp_path_factory.mktemp("models")
    for model, name, *flags in (("synthetic:dnabert-s-tiny", "dna"), ("synthetic:esm2_tiny", "esm"),
                                ("synthetic:12", "classifier.safetensors", "--inputs", "80")):
        subprocess.run([BIN, "utils", "export-weights", model, "-o", folder / name, *flags],
                       check=True, capture_output=True)
    for path in folder.rglob("*.safetensors"):
        without_mark(path)
    return ["--dnabert-model", folder / "dna", "--esm-model", folder / "esm",
            "-p", folder / "classifier.safetensors", *SHORT]


def shell(program, command):
    words = shlex.split(command, comments=True)
    assert words[0].endswith("virnucpro")
    return program(*words[1:], code=0)


@pytest.fixture(params=[["--min-share", "0"], ["--rule", "viral-ngs", "--virus-fasta"]], ids=["plain", "all"])
def contigs(program, sequences, models, request):
    (program.folder / "contigs.fa").write_text(fasta({**sequences, "none": "TAGCTAACTGA" * 9}))
    return program("predict", "contigs.fa", *models, "-o", "out", *request.param, code=0)


def test_the_end_of_a_run_of_contigs(program, contigs, sequences):
    lines = lines_of(contigs)
    assert lines[0] == f"  sequences{len(sequences) + 1:>18}"
    rows = (program.folder / "out" / "sequences.tsv").read_text().splitlines()[1:]
    words = ["virus", "others", "unscored"]
    if (program.folder / "out" / "contigs.tsv").exists():
        words.insert(2, "ambiguous")
    for word, line in zip(words, lines[1:]):
        count = sum(f"\t{word}\t" in row for row in rows)
        share = [f"{100 * count / len(rows):.1f}", "%"] if count > 0 else []
        assert line.partition(":")[0].split() == [word, str(count), *share]
    assert lines[1].split()[1] != "0"
    assert re.fullmatch(r"  unscored +1 +14.3 %: no stop-free frame 1", lines[len(words)])
    found = {line.partition(": ")[0]: line.partition(": ")[2] for line in lines if ": " in line}
    for name in ("calls", "tables", "report", "log"):
        assert (program.folder / found[name]).exists()
    # Speed comes last.
    assert [line.partition(":")[0] for line in lines[-3:]] == ["next", "speed", "device"]
    assert re.fullmatch(r"device: busy [\d.]+ % of the time, waiting for sequences [\d.]+ %", lines[-1])
    log = (program.folder / "out" / "logs" / "virnucpro.log").read_text()
    assert all(f" info {line}\n" in log for line in lines)


def test_the_next_step_after_contigs(program, contigs):
    step = next_of(lines_of(contigs))
    if (program.folder / "out" / "contigs.tsv").exists():
        assert step == "open out/report.html"
        return
    assert "--rule viral-ngs --virus-fasta" in step
    shell(program, step)
    for name in ("contigs.tsv", "virus.fasta", "report.html"):
        assert (program.folder / "out" / name).exists()


def test_the_next_step_after_reads(program, sequences, models):
    (program.folder / "reads.fq").write_text(
        fastq({name: letters[:99] for name, letters in sequences.items()}))
    ended = program("predict", "reads.fq", *models, "--min-share", "0", "-o", "out", code=0)
    step = next_of(lines_of(ended))
    assert "--virus-fastq reads_virus" in step and "--rule" not in step
    shell(program, step)
    assert (program.folder / "reads_virus.fastq.gz").exists()


def of_type(program, model_type, models):
    """Options of a model type whose classifier is that of `models`."""
    name = models[models.index("-p") + 1]
    (program.folder / "c.yaml").write_text(f'prediction: {{models: {{"{model_type}": {name}}}}}\n')
    return ["-c", "c.yaml", "-m", model_type, *models[:models.index("-p")], "--no-progress"]


def test_short_reads_are_for_the_other_model(program, genome, models):
    """Whatever the batches, shards and resumes."""
    reads = {f"r{k}": genome[k * 50:k * 50 + 150 + k] for k in range(60)}
    long = {"long": genome[:900], "skipped": "A" * 20}
    (program.folder / "reads.fa").write_text(fasta({**reads, **long}))
    told = ("60 of 62 sequences have at most 300 bases: the model for 300 bases (-m 300) is meant for "
            "them")

    def warnings(*arguments):
        return [line.removeprefix("warning: ") for line in lines_of(program(*arguments, code=0))
                if line.startswith("warning: ")]
    options = [*of_type(program, "500", models), "--min-length", "100"]
    assert warnings("predict", "reads.fa", *options, "-o", "out") == [told]
    assert told + "." in (program.folder / "out" / "report.html").read_text()
    assert f"warning {told}\n" in (program.folder / "out" / "logs" / "virnucpro.log").read_text()
    assert warnings("predict", "reads.fa", *options, "-o", "out", "--resume", "--token-budget", "300") == [told]
    for part in ("0", "1"):
        program("predict", "reads.fa", *options, "-o", part, "--shard", f"{part}/2", code=0)
    assert warnings("merge", "0", "1", "-o", "merged") == [told]
    assert warnings("export", "out") == [told]
    assert warnings("predict", "reads.fa", *models, "-e", "500", "-o", "custom") == []
    assert warnings("predict", "reads.fa", *of_type(program, "300", models), "-o", "other") == []


@pytest.mark.parametrize("contigs, is_told", [(1, True), (20, False)])
def test_short_contigs_beside_long_ones_are_no_reason(program, genome, models, contigs, is_told):
    """Here 30 short ones beside contigs of 4 chunks."""
    short = {f"s{k}": genome[k * 50:k * 50 + 300] for k in range(30)}
    long = {f"c{k}": genome[k * 90:k * 90 + 1600] for k in range(contigs)}
    (program.folder / "a.fa").write_text(fasta({**short, **long}))
    ended = program("predict", "a.fa", *of_type(program, "500", models), "-o", "out", code=0)
    assert ("is meant for them" in message(ended)) == is_told


def test_shards_say_how_to_join_them(program, sequences, models):
    (program.folder / "a.fa").write_text(fasta(sequences))
    steps = {next_of(lines_of(program("predict", "a.fa", *models, "--shard", f"{i}/2", "-o",
                                      f"part_{i}", code=0))) for i in (0, 1)}
    assert steps == {f"when all 2 shards are done: virnucpro merge part_{i} ... -o DIR"
                     for i in (0, 1)}
    merged = program("merge", "part_0", "part_1", "-o", "out", code=0)
    assert lines_of(merged)[0] == f"  sequences{len(sequences):>18}"
    assert "report: out/report.html" in lines_of(merged)
    assert (program.folder / "out" / "report.html").exists()


def test_synthetic_weights_give_no_advice_on_calls(program, sequences):
    (program.folder / "a.fa").write_text(fasta(sequences))
    lines = lines_of(program.predict("a.fa", *SHORT, code=0))
    assert next_of(lines).startswith("virnucpro download ") and "mean nothing" in next_of(lines)


def test_an_input_that_failed_is_the_next_step(program, sequences, models):
    (program.folder / "a.fa").write_text(fasta(sequences))
    command = ["predict", "a.fa", "b.fa", *models, "-o", "out"]
    step = next_of(lines_of(program(*command, code=2)))
    assert step == ("repair the inputs that out/failed_inputs.txt names, then run the same command "
                    "with --resume")
    (program.folder / "b.fa").write_text(fasta({"more": "ACGTTGCA" * 50}))
    assert lines_of(program(*command, "--resume", code=0))[0].split() == ["sequences", "7"]


@pytest.mark.parametrize("quiet", [[], ["-q"]], ids=["", "quiet"])
def test_an_interrupted_run_says_how_to_go_on(program, genome, models, quiet):
    """By the very command that it names."""
    pieces = {f"r{i}": genome[i * 100:i * 100 + 300] for i in range(400)}
    text = fasta(pieces).encode()
    process = program.start_waiting(*SHORT, "-fko", "out", "--token-budget", "300", *quiet)
    process.stdin.write(text[:len(text) // 2])
    process.stdin.flush()
    program.wait_for(lambda: (program.folder / "out" / "run.db-wal").exists(), process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=5) == 130
    *_, error, advice, command = process.stderr.read().decode().splitlines()
    process.stdin.close()
    process.stderr.close()
    assert error == "virnucpro: error: interrupted: by the user"
    assert advice.endswith("To go on, with the same input again:")
    assert shlex.split(command)[1:] == ["predict", *MODELS, "-", *SHORT, "-ko", "out",
                                        "--token-budget", "300", *quiet, "--resume"]
    log = (program.folder / "out" / "logs" / "virnucpro.log").read_text()
    assert f"info what to do: {advice.strip()} {command.strip()}\n" in log
    program(*shlex.split(command)[1:], stdin=text, code=0)


def test_a_stopped_run_says_how_much_is_done(program, genome):
    pieces = {f"r{i}": genome[i * 10:i * 10 + 300] for i in range(2000)}
    (program.folder / "it's.fa").write_text(fasta(pieces))
    process = program.start("predict", *MODELS, "it's.fa", *SHORT, "-o", "out", "--token-budget",
                            "300", "-t", "1", stderr=subprocess.PIPE)
    wal = program.folder / "out" / "run.db-wal"
    program.wait_for(lambda: wal.exists() and wal.stat().st_size > 20_000, process)
    process.send_signal(signal.SIGTERM)
    *_, advice, command = process.communicate(timeout=10)[1].decode().splitlines()
    assert process.returncode == 143
    assert re.fullmatch(r"  About [\d,]+ of [\d,]+ sequences are done \([\d.]+ %\), and kept. "
                        "To go on:", advice)
    ended = program(*shlex.split(command)[1:], code=0)
    assert re.search(r"(?m)^  known before +[1-9]", message(ended))


def test_a_full_disk_says_how_to_go_on(program, genome):
    """As on a quota: the journal may not grow."""
    (program.folder / "a.fa").write_text(
        fasta({f"r{i}": genome[i * 10:i * 10 + 300] for i in range(1000)}))
    limited = subprocess.run(
        ["bash", "-c", 'trap "" XFSZ; ulimit -f 100; exec "$@"', "bash", BIN, "predict", *MODELS,
         "a.fa", *SHORT, "-o", "out", "--telemetry", "off"],
        cwd=program.folder, env=program.environment, capture_output=True, check=False)
    assert limited.returncode == 1
    error, advice, command = limited.stderr.decode().splitlines()[-3:]
    assert "output cannot be written" in error and advice.endswith("To go on:")
    assert "Solve that problem" in advice or "Free space" in advice
    program(*shlex.split(command)[1:], code=0)


@pytest.mark.parametrize("arguments, advice", [
    (["predict", "--min-scor", "1"], "See virnucpro predict --help, or --help-all."),
    (["generate", "--sed", "1"], "See virnucpro generate --help."),
    (["utils", "inspct", "x"], "See virnucpro utils --help."),
    (["perdict", "a.fa"], "See virnucpro --help."),
])
def test_wrong_use_names_the_help_of_the_command(program, arguments, advice):
    assert lines_of(program(*arguments, code=1))[-1] == f"  {advice}"


def test_embed_says_how_much_it_wrote(program, sequences):
    (program.folder / "a.fa").write_text(fasta(sequences))
    lines = lines_of(program("embed", "a.fa", *MODELS[:4], *SHORT, "-o", "x.h5", code=0))
    assert lines[-3] == f"  sequences{len(sequences):>18}"
    assert re.fullmatch(r"  embeddings +[\d,]+", lines[-2]) and lines[-1] == "embeddings: x.h5"
    assert program("embed", "a.fa", *MODELS[:4], *SHORT, "-qfo", "x.h5", code=0).stderr == b""

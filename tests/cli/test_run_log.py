"""logs/virnucpro.log: a run's settings, results and end."""

import pytest
from conftest import message

QUIET = ["-q", "-e", "100", "-o", "out"]


def run_log(program):
    return (program.folder / "out" / "logs" / "virnucpro.log").read_text()


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_a_run_that_is_done(program, quiet):
    (program.folder / "a.fa").write_text(">x\nACGTACGTACGT\n>x\nACGTAC-TJCGT\n")
    result = program.predict("a.fa", "-m", "300", "-e", "200", "-t", "1", "-b", "8", "-o", "out",
                             *quiet, code=0)
    log = run_log(program)
    for words in ("info virnucpro ", "info command line: ", " predict ", "info input: a.fa",
                  "info chunk size 200", "cpu, fp32, 1 threads, token budget auto",
                  "warning --batch-size has no effect", "warning chunks are 200 bases long",
                  "info esm2: synthetic:esm2_tiny:0", "info   sequences ",
                  "warning 1 sequences have the id", "warning 2 characters outside IUPAC",
                  "warning the weights are synthetic", "info tables: out/a_merged"):
        assert log.count(words) == 1, words
    assert log.endswith("info ended: done, exit code 0\n")
    assert (result.stderr == b"") == bool(quiet)
    assert message(result).count("the weights are synthetic") == (0 if quiet else 1)


# The log exists before the output folder is checked, and must not make it count as used.
@pytest.mark.parametrize("file", ["run.log", "mine/run.log", "logs/virnucpro.log"])
@pytest.mark.parametrize("flags", [[], ["--force"]])
def test_the_log_may_lie_in_the_output_folder(with_reads, file, flags):
    with_reads.predict("reads.fa", *QUIET, "-l", f"out/{file}", *flags, code=0)
    for log in (run_log(with_reads), (with_reads.folder / "out" / file).read_text()):
        assert log.count("info command line: ") == log.count("info tables: out/reads_merged") == 1
        assert log.endswith("ended: done, exit code 0\n")


def test_another_file_beside_the_log_stays(with_reads):
    mine = with_reads.folder / "out" / "mine" / "other"
    mine.parent.mkdir(parents=True)
    mine.write_text("kept")
    with_reads.predict("reads.fa", *QUIET, "-l", "out/mine/run.log", code=0)
    assert mine.read_text() == "kept"


def test_a_run_that_is_partial(with_reads):
    with_reads.predict("reads.fa", "absent.fa", *QUIET, code=2)
    log = run_log(with_reads)
    assert log.count("absent.fa: input not found") == 1
    assert "warning 1 of 2 inputs could not be processed and have no rows in the tables" in log
    assert log.endswith("ended: partial, some input could not be processed, exit code 2\n")


def test_a_run_that_fails(program):
    (program.folder / "a.fa").write_text("ACGT\n")
    assert message(program.predict("a.fa", *QUIET, code=1)).count("input format is not known") == 1
    *_, error, advice, end = run_log(program).splitlines()
    assert " error a.fa: " in error and "input format is not known" in error
    assert " info what to do: Give FASTA or FASTQ" in advice
    assert end.endswith("ended: input-format, exit code 1")


def test_a_run_that_is_interrupted(program):
    process = program.start_waiting(*QUIET)
    program.interrupt(process)
    assert run_log(program).endswith("ended: interrupted, exit code 130\n")

"""BAM, SAM and CRAM as inputs: the same sequences give the same tables; truncation is noticed.

samtools writes the files.
"""

import ctypes
import gzip
import os
import re
import resource
import shutil
import subprocess
from random import Random

import pytest

from conftest import MODELS, Program, fasta, fastq, flip, limited, message, of_input, reverse_complement, samtools

SHORT = ("-e", "100")
HEADER = "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:genome\tLN:48502\n"


def sam_line(name, flags, letters, position=0):
    """A line of SAM; `letters` as written in the file."""
    place = f"genome\t{position}\t60\t{len(letters)}M" if position else "*\t0\t0\t*"
    return f"{name}\t{flags}\t{place}\t*\t0\t0\t{letters}\t{'I' * len(letters)}\n"


@pytest.fixture
def files(program, genome, sequences):
    """The same sequences in every format; the mapped ones lie on the genome, every second one
    reversed."""
    folder = program.folder
    (folder / "genome.fa").write_text(fasta({"genome": genome}))
    text = HEADER
    reads = {}
    for index, (name, letters) in enumerate(sequences.items()):
        reads[name] = reverse_complement(letters) if index % 2 else letters
        text += sam_line(name, 16 * (index % 2), letters, genome.index(letters) + 1)
    reads["unmapped"] = "ACGTRYKMBDHVN" + genome[:200]
    text += sam_line("unmapped", 4, reads["unmapped"])
    (folder / "reads.fa").write_text(fasta(reads))
    (folder / "reads.fq.gz").write_bytes(gzip.compress(fastq(reads).encode()))
    (folder / "reads.sam").write_text(text)
    (folder / "reads.sam.gz").write_bytes(gzip.compress(text.encode()))
    samtools(folder, "view", "-b", "reads.sam", "-o", "reads.bam")
    samtools(folder, "view", "-C", "-T", "genome.fa", "reads.sam", "-o", "reads.cram")
    samtools(folder, "view", "-C", "--output-fmt-option", "no_ref=1", "reads.sam", "-o",
             "no_reference.cram")
    (folder / "genome.fa.fai").unlink()
    return reads


@pytest.fixture
def expected(program, files):
    program.predict("reads.fa", *SHORT, "-o", "expected", "--name", "reads", code=0)
    return program.tables("expected", "reads")


def test_the_same_sequences_give_the_same_tables(program, expected):
    forms = {"reads.fq.gz": (), "reads.sam": (), "reads.sam.gz": (), "reads.bam": (),
             "reads.cram": ("--reference", "genome.fa"), "no_reference.cram": ()}
    for name, flags in forms.items():
        program.predict(name, *flags, *SHORT, "-o", name + ".out", "--name", "reads", code=0)
        assert program.tables(name + ".out", "reads") == of_input(expected, name), name
    assert not (program.folder / "genome.fa.fai").exists()


def test_a_cram_of_several_slices_comes_through_the_filter(program):
    """Giving back a slice's memory makes the C library ask /proc, in a child of a thread alone."""
    random = Random(7)
    reads = {f"r{k}": "".join(random.choices("ACGT", k=150)) for k in range(3_000)}
    (program.folder / "long.sam").write_text(
        "@HD\tVN:1.6\n" + "".join(f"{name}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters}\t*\n"
                                 for name, letters in reads.items()))
    samtools(program.folder, "view", "-C", "--output-fmt-option", "no_ref=1",
             "--output-fmt-option", "seqs_per_slice=1000", "long.sam", "-o", "long.cram")
    result = program.predict("long.cram", "-e", "500", "--no-progress", "-o", "out")
    assert result.returncode == 0, message(result)
    rows = (program.folder / "out" / "sequences.tsv").read_text().splitlines()
    assert len(rows) == 1 + len(reads)


def test_what_lies_beside_an_input_is_not_opened(program, expected):
    """Pipes: who opens one waits for ever."""
    for name in ("genome.fa.fai", "genome.fa.gzi", "reads.bam.bai", "reads.bam.csi",
                 "reads.cram.crai", "reads.cram.gzi"):
        os.mkfifo(program.folder / name)
    for name in ("reads.bam", "reads.cram"):
        arguments = (name, "--reference", "genome.fa")
        program.predict(*arguments, *SHORT, "-o", name + ".out", "--name", "reads", code=0, timeout=60)
        assert program.tables(name + ".out", "reads") == of_input(expected, name)
        program("utils", "validate", *arguments, code=0, timeout=60)
        program("embed", *arguments, *SHORT, *MODELS[:4], "-o", name + ".h5", code=0, timeout=60)


@pytest.mark.parametrize("name", ["reads.sam", "reads.bam", "reads.cram"])
def test_stdin(program, expected, name):
    data = (program.folder / name).read_bytes()
    program.predict("-", "--reference", "genome.fa", *SHORT, "-o", "out", "--name",
                    "reads", "--virus-fasta", stdin=data, code=0)
    assert program.tables("out", "reads") == of_input(expected, "stdin")


@pytest.mark.parametrize("name", ["reads.bam", "reads.cram"])
def test_virus_fasta_reads_the_file_again(program, files, name):
    program.predict(name, "--reference", "genome.fa", *SHORT, "-o", "out",
                    "--virus-fasta", "--threshold", "0", code=0)
    text = (program.folder / "out" / "virus.fasta").read_text()
    found = {part.split("\n", 1)[0]: part.split("\n", 1)[1].replace("\n", "")
             for part in text.split(">")[1:]}
    assert found
    assert all(files[name] == letters for name, letters in found.items())


def test_export_finds_the_reference_from_anywhere(program, files, tmp_path_factory):
    program.predict("reads.cram", "--reference", "genome.fa", *SHORT, "-o", "out",
                    "--virus-fasta", code=0)
    elsewhere = Program(tmp_path_factory.mktemp("elsewhere"))
    result = elsewhere("export", program.folder / "out", "-o", "again", "--virus-fasta")
    assert result.returncode == 0, message(result)
    written = [folder / "virus.fasta" for folder in (program.folder / "out",
                                                     elsewhere.folder / "again")]
    assert written[0].read_bytes() == written[1].read_bytes()
    result = program.predict("reads.fa", *SHORT, "-o", "without")
    result = program("utils", "validate-checkpoints", "without")
    assert b"\n  reference: \n" in result.stdout


def test_mates_and_skipped_alignments(program, genome):
    text = HEADER + sam_line("p", 1 + 64 + 4, genome[:300])
    text += sam_line("p", 1 + 128 + 16, reverse_complement(genome[300:600]), 301)
    text += sam_line("p", 1 + 128 + 256, genome[300:600], 301)
    text += sam_line("p", 1 + 64 + 2048, genome[:100], 1)
    text += sam_line("s", 2048, genome[:100], 1)
    text += "empty\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\n"
    (program.folder / "a.sam").write_text(text)
    samtools(program.folder, "view", "-b", "a.sam", "-o", "a.bam")
    (program.folder / "a.fa").write_text(
        fasta({"p/1": genome[:300], "p/2": genome[300:600], "empty": ""}))
    tables = {}
    for name in ("a.fa", "a.sam", "a.bam"):
        result = program.predict(name, *SHORT, "-o", name + ".out", "--name", "a", code=0)
        tables[name] = program.tables(name + ".out", "a")
        assert tables[name] == of_input(tables["a.fa"], name)
        line = "skipped: 1 secondary and 2 supplementary alignments"
        log = (program.folder / (name + ".out") / "logs" / "virnucpro.log").read_text()
        assert (line in message(result)) == (line in log) == (name != "a.fa")
    result = program("embed", "a.bam", *MODELS[:4], "--what", "esm2", "-o", "a.h5", code=0)
    assert line in message(result)
    shown = program("utils", "validate", "a.bam").stdout.decode()
    assert re.search(r"sequences +3\n", shown)
    assert re.search(r"secondary, skipped +1\n", shown)
    assert re.search(r"supplementary, skipped +2\n", shown)


@pytest.mark.parametrize("name", ["reads.sam", "reads.bam", "reads.cram"])
def test_a_cut_leaves_no_row(program, expected, name):
    data = (program.folder / name).read_bytes()
    for share in (0.3, 0.6, 0.95, 1):
        size = min(int(len(data) * share), len(data) - 1)
        shutil.rmtree(program.folder / "out", ignore_errors=True)
        (program.folder / "cut").write_bytes(data[:size])
        flags = ("--reference", "genome.fa", *SHORT, "-f", "-o", "out", "--name", "reads")
        alone = program.predict("cut", *flags, code=1)
        assert "cut: record " in message(alone)
        assert "input ends too early" in message(alone)
        assert not list((program.folder / "out").rglob("prediction_results*"))
        program.predict("cut", "reads.fa", *flags, code=2)
        assert program.tables("out", "reads") == expected
        row = (program.folder / "out" / "failed_inputs.txt").read_text().splitlines()[1]
        place, error, record, offset, _ = row.split("\t")
        assert (place, error) == ("cut", "input-truncated")
        assert int(record) > 0 and int(offset) > 0


def test_a_damaged_cram_leaves_no_row(program, expected):
    cram = program.folder / "no_reference.cram"
    flip(cram, cram.stat().st_size // 2)
    cram.rename(program.folder / "bad")
    program.predict("reads.fa", "bad", *SHORT, "-o", "out", "--name", "reads", code=2)
    assert program.tables("out", "reads") == expected
    row = (program.folder / "out" / "failed_inputs.txt").read_text().splitlines()[1]
    assert row.split("\t")[:2] == ["bad", "input-corrupt"]


def test_a_temporary_folder_that_fails_is_no_fault_of_the_input(program, files):
    absent = {"TMPDIR": "absent"}
    for names in (["reads.cram"], ["reads.fa", "reads.cram"]):
        result = program.predict(*names, *SHORT, "--reference", "genome.fa", "-f", "-o", "out",
                                 environment=absent, code=1)
        assert "absent: the temporary folder cannot be used" in message(result)
        assert not list((program.folder / "out").rglob("prediction_results*"))
    result = program("utils", "validate", "reads.cram", "--reference", "genome.fa",
                     environment=absent, code=1)
    assert b"DAMAGED" not in result.stdout


def test_a_full_temporary_folder_is_no_fault_of_the_reference(program, files):
    arguments = ("utils", "validate", "reads.cram", "--reference", "genome.fa")
    assert program(*arguments).returncode == 0
    result = program(*arguments, **limited(resource.RLIMIT_FSIZE, 0), code=1)
    assert "the temporary folder cannot be used" in message(result)


def test_alignments_hold_no_proteins(program, files):
    for name in ("reads.sam", "reads.bam", "no_reference.cram"):
        result = program("embed", "--proteins", name, *MODELS[:4], "-o", "p.h5", code=1)
        assert f"{name}: " in message(result) and "no proteins" in message(result)
        assert "synthetic" not in message(result), "the models were loaded first"
        assert not (program.folder / "p.h5").exists()


def test_nothing_is_fetched_for_a_cram(program, files, genome):
    """The header names the reference and its MD5; a proxy would notice a download."""
    environment = {"REF_PATH": "", "REF_CACHE": str(program.folder / "cache" / "%2s/%s"),
                   "XDG_CACHE_HOME": str(program.folder / "home"),
                   "https_proxy": "http://127.0.0.1:9"}
    header = samtools(program.folder, "view", "-H", "reads.cram").decode()
    assert "M5:" in header and f"UR:{program.folder}/genome.fa" in header
    result = program("utils", "validate", "reads.cram", environment=environment, code=1)
    assert b"the reference cannot be used" in result.stdout
    assert b"give --reference FILE" in result.stdout
    assert not (program.folder / "cache").exists()
    assert not (program.folder / "home").exists()
    assert not (program.folder / "genome.fa.fai").exists()


class Comparison(ctypes.Structure):
    """libseccomp's scmp_arg_cmp."""
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("value", ctypes.c_uint64),
                ("other", ctypes.c_uint64)]


def forbid_filters():
    """As in a container without seccomp."""
    allow, fail, equal = 0x7fff0000, 0x00050001, 4
    call_seccomp, call_prctl, set_seccomp = 317, 157, 22
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(allow))
    library.seccomp_rule_add_array(rules, fail, call_seccomp, 0, None)
    library.seccomp_rule_add_array(rules, fail, call_prctl, 1,
                                   ctypes.byref(Comparison(0, equal, set_seccomp, 0)))
    assert library.seccomp_load(rules) == 0


def test_where_system_calls_cannot_be_filtered_a_cram_is_read_with_a_warning(program, files):
    def warnings(**options):
        result = program("utils", "validate", "no_reference.cram", "no_reference.cram", code=0,
                         **options)
        return message(result).count("system calls cannot be filtered here")
    assert warnings() == 0
    assert warnings(preexec_fn=forbid_filters) == 1


def test_another_reference_is_an_error(program, files, genome):
    other = ("C" if genome[100] != "C" else "A").join((genome[:100], genome[101:]))
    (program.folder / "other.fa").write_text(fasta({"genome": other}))
    result = program("utils", "validate", "reads.cram", "--reference", "other.fa", code=1)
    assert b"sequence genome of the reference is not the one that the CRAM was made with" in result.stdout


def test_a_missing_reference_is_found_before_anything_is_done(program, files):
    result = program.predict("reads.cram", "reads.fa", "--reference", "none.fa", "-o", "out")
    assert result.returncode == 1
    assert "none.fa: input not found" in message(result)
    assert not (program.folder / "out").exists()


def test_paired_is_for_fastq(program, files):
    result = program.predict("--paired", "reads.bam", "reads.fq.gz", "-o", "out", code=1)
    assert "reads.bam: the command line cannot be used: this file is BAM" in message(result)
    assert "leave --paired out" in message(result)


def test_an_interrupt_ends_the_wait_for_a_silent_cram(program, files):
    read, write = os.pipe()
    os.write(write, (program.folder / "no_reference.cram").read_bytes()[:600])
    process = program.start("utils", "validate", "-", stdin=read, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    process.terminate()
    assert process.wait(timeout=5) == 143
    process.communicate()
    os.close(write)
    os.close(read)

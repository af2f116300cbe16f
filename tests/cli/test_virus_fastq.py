"""--virus-fastq: the reads called virus as they came, with their qualities."""

import gzip
import shutil
import subprocess

import pytest
from conftest import SHORT, calls_of, fasta, files_in, message, pieces, reverse_complement

ALL = ["--min-share", "0"]  # every scored read is called virus


def read_of(name, letters, mate=""):
    """A FASTQ record whose qualities are its own."""
    qualities = "".join(chr(33 + (ord(letter) + k) % 94) for k, letter in enumerate(letters))
    return f"@{name}{mate} from a run\n{letters}\n+\n{qualities}\n"


def fastq_of(path):
    """Names, letters and qualities of a compressed FASTQ."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert len(lines) % 4 == 0 and set(lines[2::4]) <= {"+"}
    return list(zip(lines[0::4], lines[1::4], lines[3::4]))


@pytest.fixture
def reads(program, genome):
    letters = pieces(genome)
    (program.folder / "reads.fq").write_text("".join(map(read_of, letters, letters.values())))
    return program


@pytest.fixture
def pairs(program, genome):
    for mate, end in ((1, "/1"), (2, "/2")):
        starts = [700 * k + 90 * mate for k in range(12)]
        letters = {f"p{k}": genome[start:start + 180] for k, start in enumerate(starts)}
        (program.folder / f"r{mate}.fq").write_text(
            "".join(read_of(name, text, end) for name, text in letters.items()))
    return program


def records(program, file):
    lines = (program.folder / file).read_text().splitlines()
    return list(zip(lines[0::4], lines[1::4], lines[3::4]))


def test_reads_as_they_came(reads):
    reads.predict("reads.fq", *SHORT, "--virus-fastq", "viral", "-o", "out", code=0)
    calls = calls_of(reads.folder / "out")
    assert {"virus", "others"} <= set(calls.values())
    expected = [record for record in records(reads, "reads.fq")
                if calls[record[0][1:].split()[0]] == "virus"]
    assert fastq_of(reads.folder / "viral.fastq.gz") == expected
    assert not (reads.folder / "viral_1.fastq.gz").exists()


def names_by(rule, program):
    """Of the pairs of which either read, or both, are called virus."""
    calls, wanted = calls_of(program.folder / "out"), any if rule == "either" else all
    return [f"p{k}" for k in range(12) if wanted(calls[f"p{k}/{mate}"] == "virus" for mate in (1, 2))]


@pytest.mark.parametrize("rule", ["either", "both"])
def test_pairs_stay_in_step(pairs, rule):
    pairs.predict("--paired", "r1.fq", "r2.fq", *SHORT, "--virus-fastq", "viral", "--pair-rule",
                  rule, "-o", "out", code=0)
    names = names_by(rule, pairs)
    assert 0 < len(names) < 12
    for mate in (1, 2):
        found = fastq_of(pairs.folder / f"viral_{mate}.fastq.gz")
        assert [record[0] for record in found] == [f"@{name}/{mate} from a run" for name in names]
        whole = {record[1:] for record in records(pairs, f"r{mate}.fq")}
        assert {record[1:] for record in found} <= whole
    assert not (pairs.folder / "viral.fastq.gz").exists()


def test_a_pipe_is_as_good_as_a_file(reads):
    whole = (reads.folder / "reads.fq").read_bytes()
    reads.predict("reads.fq", *SHORT, "--virus-fastq", "file", "-o", "out", code=0)
    reads.predict("-", *SHORT, "--virus-fastq", "pipe", "-o", "piped", stdin=whole, code=0)
    assert fastq_of(reads.folder / "pipe.fastq.gz") == fastq_of(reads.folder / "file.fastq.gz")


def test_pairs_through_a_pipe(pairs):
    both = ["--paired", "r1.fq", "r2.fq", *SHORT, "--virus-fastq"]
    pairs.predict(*both, "file", "-o", "out", code=0)
    both[2] = "-"
    pairs.predict(*both, "pipe", "-o", "piped", code=0,
                  stdin=(pairs.folder / "r2.fq").read_bytes())
    for mate in (1, 2):
        assert fastq_of(pairs.folder / f"pipe_{mate}.fastq.gz") == fastq_of(
            pairs.folder / f"file_{mate}.fastq.gz")


SAM = "@SQ\tSN:c\tLN:1000\n"


def sam_line(name, flags, letters, qualities):
    return f"{name}\t{flags}\tc\t1\t9\t{len(letters)}M\t*\t0\t0\t{letters}\t{qualities}\n"


def test_mates_of_alignments(program, genome):
    """In either order; a reverse read as it was sequenced; a mate without its other alone."""
    text = genome[300:480]
    qualities = "".join(chr(40 + k % 30) for k in range(len(text)))
    (program.folder / "a.sam").write_text(
        SAM + sam_line("p", 0x1 | 0x80 | 0x10, reverse_complement(text), qualities[::-1])
        + sam_line("p", 0x1 | 0x40, text, qualities)
        + sam_line("lone", 0x1 | 0x40, text, qualities) + sam_line("single", 0, text, qualities))
    program.predict("a.sam", *SHORT, *ALL, "--virus-fastq", "viral", "-o", "out", code=0)
    assert fastq_of(program.folder / "viral_1.fastq.gz") == [("@p/1", text, qualities)]
    assert fastq_of(program.folder / "viral_2.fastq.gz") == [("@p/2", text, qualities)]
    assert fastq_of(program.folder / "viral.fastq.gz") == [
        ("@lone/1", text, qualities), ("@single", text, qualities)]


def test_export_writes_them_by_another_rule(reads):
    reads.predict("reads.fq", *SHORT, "-o", "out", code=0)
    reads("export", "out", *ALL, "--virus-fastq", "all", code=0)
    calls = calls_of(reads.folder / "out")
    viruses = [name for name, call in calls.items() if call == "virus"]
    assert [record[0][1:].split()[0]
            for record in fastq_of(reads.folder / "all.fastq.gz")] == viruses


@pytest.mark.parametrize("beside", [[], ["reads.fq"]])
def test_a_read_without_qualities_is_told_of_at_once(reads, genome, beside):
    (reads.folder / "a.fa").write_text(fasta(pieces(genome)))
    (reads.folder / "a.sam").write_text(SAM + sam_line("r", 0, "ACGT" * 30, "*"))
    for name in ("a.fa", "a.sam"):
        failed = reads.predict(*beside, name, *SHORT, "--virus-fastq", "viral", "-o", "out", code=1)
        assert f"{name}: record 1" in message(failed)
        assert "no qualities" in message(failed) and "--virus-fasta" in message(failed)
        assert not (reads.folder / "out").exists()


def test_a_later_read_without_qualities_ends_the_run(program, genome):
    (program.folder / "a.sam").write_text(SAM + sam_line("q", 0, genome[300:420], "I" * 120)
                                          + sam_line("r", 0, "ACGT" * 30, "*"))
    failed = program.predict("a.sam", *SHORT, "--virus-fastq", "viral", "-o", "out", code=1)
    assert "a.sam: record 2" in message(failed)
    program.predict("a.sam", *SHORT, "-o", "out", "--resume", code=0)  # its calls can be had


def test_its_files_are_looked_at_first(reads):
    (reads.folder / "viral_1.fastq.gz").write_bytes(b"mine")
    (reads.folder / "link.fastq.gz").symlink_to("nowhere")
    for prefix, words in (("viral", "viral_1.fastq.gz"), ("no/where/viral", "no/where"),
                          ("out/viral", "elsewhere"), ("link", "link.fastq.gz"),
                          ("./", "beginning of file names"), ("..", "beginning of file names")):
        failed = reads.predict("reads.fq", *SHORT, "--virus-fastq", prefix, "-o", "out", code=1)
        assert words in message(failed), message(failed)
        assert not (reads.folder / "out" / "run.db").exists()
    assert (reads.folder / "viral_1.fastq.gz").read_bytes() == b"mine"


@pytest.mark.parametrize("flag", ["--force", "--resume"])
def test_no_input_is_replaced(pairs, flag):
    for mate in (1, 2):
        raw = (pairs.folder / f"r{mate}.fq").read_bytes()
        (pairs.folder / f"S_{mate}.fastq.gz").write_bytes(gzip.compress(raw))
    inputs = ["S_1.fastq.gz", "S_2.fastq.gz"]
    before = [(pairs.folder / name).read_bytes() for name in inputs]
    arguments = ["--paired", *inputs, *SHORT]
    failed = pairs.predict(*arguments, "--virus-fastq", "S", "-o", "out", flag, code=1)
    assert "--virus-fastq S_1.fastq.gz: it is the same file as INPUT S_1.fastq.gz" in message(failed)
    pairs.predict(*arguments, "-o", "whole", code=0)
    failed = pairs("export", "whole", "--virus-fastq", "S", "--force", code=1)
    assert "is an input, and the output would replace it" in message(failed)
    assert [(pairs.folder / name).read_bytes() for name in inputs] == before


def test_resume_replaces_only_what_its_run_wrote(reads):
    (reads.folder / "mine.fastq.gz").write_bytes(b"mine")
    run = ["reads.fq", *SHORT, "-o", "out", "--resume", "--virus-fastq"]
    reads.predict(*run, "mine", code=1)
    reads.predict(*run, "own", code=0)
    first = (reads.folder / "own.fastq.gz").read_bytes()
    reads.predict(*run, "own", code=0)
    assert (reads.folder / "own.fastq.gz").read_bytes() == first
    reads.predict(*run, "mine", code=1)
    assert (reads.folder / "mine.fastq.gz").read_bytes() == b"mine"


def test_no_file_of_an_earlier_rule_stays(program, genome):
    letters = [genome[300 + 500 * k:480 + 500 * k] for k in range(8)]
    (program.folder / "a.sam").write_text(SAM + "".join(
        sam_line(f"p{k}", 1 + mate, text, "I" * 180)
        for k, text in enumerate(letters) for mate in (64, 128)))
    program.predict("a.sam", *SHORT, *ALL, "--virus-fastq", "v", "-o", "out", code=0)
    assert (program.folder / "v_1.fastq.gz").exists()
    program("export", "out", "--min-score", "1", "--min-share", "1", "--virus-fastq", "v",
            "-o", "strict", "--force", code=0)
    assert fastq_of(program.folder / "v.fastq.gz") == []
    assert not (program.folder / "v_1.fastq.gz").exists()
    assert not (program.folder / "v_2.fastq.gz").exists()


@pytest.mark.parametrize("rule, left", [("either", ["@a/1", "@b/1", "@a/2", "@b/2"]), ("both", [])])
def test_mates_that_are_no_neighbours_are_told_of(program, genome, rule, left):
    text = genome[300:480]
    (program.folder / "a.sam").write_text(SAM + "".join(
        sam_line(name, 1 + mate, text, "I" * 180) for mate in (64, 128) for name in "ab"))
    result = program.predict("a.sam", *SHORT, *ALL, "--virus-fastq", "v", "--pair-rule", rule,
                             "-o", "out", code=0)
    assert "reads called virus, but not next to their mates: 4" in message(result)
    assert [record[0] for record in fastq_of(program.folder / "v.fastq.gz")] == left


def test_names_alone_make_no_pair(program, genome):
    text = genome[300:480]
    (program.folder / "a.sam").write_text(SAM + sam_line("x/1", 0, text, "I" * 180)
                                          + sam_line("x/2", 0, text, "I" * 180))
    program.predict("a.sam", *SHORT, *ALL, "--virus-fastq", "v", "-o", "out", code=0)
    assert len(fastq_of(program.folder / "v.fastq.gz")) == 2


def test_its_blocks_are_those_of_bgzf(reads):
    """So that this program and others read it in parallel; gzip reads it, too."""
    reads.predict("reads.fq", *SHORT, *ALL, "--virus-fastq", "viral", "-o", "out", code=0)
    path = reads.folder / "viral.fastq.gz"
    assert path.read_bytes()[12:14] == b"BC"
    subprocess.run(["gzip", "-t", path], check=True)
    reads.predict("viral.fastq.gz", *SHORT, *ALL, "-o", "again", code=0)
    assert set(calls_of(reads.folder / "again").values()) == {"virus"}


# --- files of another rule -------------------------------------------------------------------------
STRICT = ["--min-score", "0.9"]


def names_of(path):
    return [record[0][1:].split()[0] for record in fastq_of(path)]


def viruses(program, output="out"):
    return [name for name, call in calls_of(program.folder / output).items() if call == "virus"]


@pytest.fixture
def written(reads):
    """A run with all files of sequences called virus."""
    reads.predict("reads.fq", *SHORT, "--virus-fastq", "v", "--virus-fasta", "-o", "out", code=0)
    reads.file = reads.folder / "v.fastq.gz"
    reads.before = reads.file.read_bytes()
    assert names_of(reads.file) == viruses(reads)
    return reads


def state(program):
    """What an export that is refused leaves as it is: all but the log."""
    return {path: content for path, content in {program.file: program.file.read_bytes(),
                                                **files_in(program.folder / "out")}.items()
            if path.name != "virnucpro.log" and "run.db" not in path.name}


@pytest.mark.parametrize("command", ["export", "resume"])
def test_another_rule_writes_them_anew(written, command):
    first = viruses(written)
    told = message(written("export", "out", *STRICT, code=0) if command == "export" else
                   written.predict("reads.fq", *SHORT, "-o", "out", "--resume", *STRICT, code=0))
    assert "virus: " in told and "v*.fastq.gz" in told
    assert names_of(written.file) == viruses(written) != first
    assert (written.folder / "out" / "virus.fasta").read_text().count(">") == len(viruses(written))
    log = (written.folder / "out" / "logs" / "virnucpro.log").read_text()
    assert f"info wrote {written.file}\n" in log
    assert command == "resume" or "info export: majority: virus score at least 0.9" in log
    # And back: it is known as the run's own again.
    written("export", "out", "--min-score", "0", code=0)
    assert names_of(written.file) == first and written.file.read_bytes() == written.before


def test_the_same_rule_leaves_them(written):
    written.file.write_bytes(b"mine")
    written("export", "out", "--bed", code=0)
    written.predict("reads.fq", *SHORT, "-o", "out", "--resume", code=0)
    assert written.file.read_bytes() == b"mine"


def test_one_that_is_gone_stays_so(written):
    written.file.unlink()
    told = message(written("export", "out", *STRICT, code=0))
    assert told.count("v.fastq.gz: the run wrote this file, but it is gone") == 1
    assert not written.file.exists()
    assert "v.fastq.gz" not in message(written("export", "out", "--min-score", "0", code=0))


@pytest.mark.parametrize("command", ["export", "resume"])
def test_one_that_was_changed_is_refused(written, command):
    written.file.write_bytes(written.before + written.before)
    before = state(written)
    told = message(written("export", "out", *STRICT, code=1) if command == "export" else
                   written.predict("reads.fq", *SHORT, "-o", "out", "--resume", *STRICT, code=1))
    assert f"{written.file}: output is there already" in told and "--drop-virus-files" in told
    assert state(written) == before
    written("export", "out", *STRICT, "--drop-virus-files", code=0)
    assert not written.file.exists() and not (written.folder / "out" / "virus.fasta").exists()
    assert (written.folder / "v.fastq.gz.of-old-rule").read_bytes() == written.before * 2
    assert (written.folder / "out" / "virus.fasta.of-old-rule").exists()


def piped(program):
    """Writes the run anew, from a pipe."""
    program.predict("-", *SHORT, "--virus-fastq", "v", "--virus-fasta", "-o", "out", "--force", code=0,
                    stdin=(program.folder / "reads.fq").read_bytes())


def archived(program):
    (program.folder / "reads.fq").rename(program.folder / "moved.fq")


@pytest.mark.parametrize("lose", [piped, archived])
def test_reads_that_cannot_be_read_again_are_dropped_by_name_only(written, lose):
    lose(written)
    before, calls = state(written), viruses(written)
    told = message(written("export", "out", *STRICT, code=1))
    assert "--drop-virus-files renames them to NAME.of-old-rule" in told
    assert ("--inputs" in told) == (lose is archived)
    assert state(written) == before
    (written.folder / "v.fastq.gz.of-old-rule").write_bytes(b"mine")
    assert "v.fastq.gz.of-old-rule" in message(written("export", "out", *STRICT, "--drop-virus-files", code=1))
    assert state(written) == before and (written.folder / "v.fastq.gz.of-old-rule").read_bytes() == b"mine"
    (written.folder / "v.fastq.gz.of-old-rule").unlink()
    told = message(written("export", "out", *STRICT, "--drop-virus-files", code=0))
    assert "v.fastq.gz: renamed to v.fastq.gz.of-old-rule" in told
    assert names_of((written.folder / "v.fastq.gz.of-old-rule").rename(written.folder / "old.fastq.gz")) == calls
    assert viruses(written) != calls and not written.file.exists()
    written("export", "out", code=0)  # nothing is left to drop
    assert not written.file.exists()


def test_moved_reads_are_named(written):
    archived(written)
    first = viruses(written)
    written("export", "out", *STRICT, "--inputs", "moved.fq", code=0)
    assert names_of(written.file) == viruses(written) != first


def test_an_export_elsewhere_needs_none_of_this(written):
    written.file.write_bytes(b"mine")
    piped_run = written.folder / "piped"
    written.predict("-", *SHORT, "--virus-fastq", "p", "-o", piped_run, code=0,
                    stdin=(written.folder / "reads.fq").read_bytes())
    for run in ("out", "piped"):
        written("export", run, *STRICT, "-o", f"{run}_strict", code=0)
    assert written.file.read_bytes() == b"mine"
    assert "works only in the run's own directory" in message(
        written("export", "out", *STRICT, "-o", "more", "--drop-virus-files", code=1))
    assert not (written.folder / "more").exists()


def test_all_that_were_asked_for_follow(written):
    written("export", "out", "--virus-fastq", "w", code=0)
    written("export", "out", *STRICT, code=0)
    for name in "vw":
        assert names_of(written.folder / f"{name}.fastq.gz") == viruses(written)


@pytest.mark.parametrize("rule", ["either", "both"])
def test_pairs_are_written_anew_by_their_own_rule(pairs, rule):
    pairs.predict("--paired", "r1.fq", "r2.fq", *SHORT, "--virus-fastq", "v", "--pair-rule", rule, "-o", "out", code=0)
    first = names_of(pairs.folder / "v_1.fastq.gz")
    pairs("export", "out", *STRICT, code=0)
    for mate in (1, 2):
        assert names_of(pairs.folder / f"v_{mate}.fastq.gz") == [f"{name}/{mate}" for name in names_by(rule, pairs)]
    assert names_of(pairs.folder / "v_1.fastq.gz") != first


def test_a_copy_of_a_run_leaves_the_files_of_the_original(written):
    shutil.copytree(written.folder / "out", written.folder / "copy")
    told = message(written("export", "copy", *STRICT, code=0))
    assert (f"{written.folder}/v*: these files are not changed: "
            f"they belong to {written.folder}/out, and this run is a copy") in told
    assert written.file.read_bytes() == written.before
    written("export", "out", *STRICT, code=0)
    assert names_of(written.file) == viruses(written)
    # One that was moved keeps them.
    shutil.rmtree(written.folder / "copy")
    (written.folder / "out").rename(written.folder / "moved")
    written("export", "moved", "--min-score", "0", code=0)
    assert names_of(written.file) == viruses(written, "moved")


def test_a_link_to_a_file_of_the_run_is_not_followed(written):
    target = written.folder / "elsewhere.fastq.gz"
    written.file.rename(target)
    written.file.symlink_to(target)
    message(written("export", "out", *STRICT, code=1))
    assert target.read_bytes() == written.before and written.file.is_symlink()

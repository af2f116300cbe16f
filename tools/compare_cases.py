"""The inputs and runs of tools/compare_programs.py."""

import gzip
import random
import shutil
import struct
import subprocess
import zlib

ENCODERS = "--dnabert-model synthetic:dnabert-s-tiny --esm-model synthetic:esm2_tiny"
# Short words in the runs' lines, and what they stand for.
SHORT_FOR = {"ENCODERS": ENCODERS, "SYNTHETIC": f"{ENCODERS} -p synthetic",
             "MODELS": f"{ENCODERS} -p synthetic -e 60 --no-progress -t 1 --token-budget 300 "
                       "-c once.yaml"}

# Cases by name. Each line is a call of the program; the lines of a case run in one folder.
CASES = {
    "FASTA": ["predict reads.fa MODELS -o out", "predict reads.fa MODELS -o out"],
    "FASTA.gz": ["predict reads.fa.gz MODELS -o out -k --virus-fasta --threshold 0.3 -v -l my.log"],
    "FASTQ.gz": ["predict r1.fq.gz r2.fq.gz MODELS -o out --min-length 100 --name both"],
    "paired": ["predict --paired r1.fq.gz r2.fq.gz MODELS"],
    "BAM": ["predict reads.bam MODELS -o out -v --virus-fasta"],
    "SAM": ["predict reads.sam MODELS -o out -q --no-report", "predict reads.sam MODELS -o out -f"],
    "CRAM": ["predict reads.cram MODELS -o out --virus-fasta", "utils validate reads.cram"],
    "stdin": ["predict - MODELS -o - < reads.fa.gz",
              "predict - MODELS -o out --telemetry off < reads.bam"],
    "damaged inputs": [
        "predict reads.fa cut.fa.gz bad.fq cut.bam MODELS -o out",
        "report out", "export out -o again", "utils validate-checkpoints out",
        "predict reads.fa cut.fa.gz MODELS -o strict --strict-input", "export strict",
        "report strict", "predict reads.fa cut.fa.gz MODELS -o strict --resume"],
    "settings": [
        "predict reads.fa SYNTHETIC -e 60 --no-progress -c set.yaml -t 2 --telemetry summary -o a",
        "predict reads.fa MODELS -b 9 --parallel -d cpu --precision bf16 --strict -o b"],
    "workers": ["predict reads.fa MODELS --cpu-workers 2 -o out"],
    "observed": ["predict reads.fa MODELS -o out --trace trace.json --metrics-file run.prom"],
    "after a run": [
        "predict reads.fa MODELS -o a", "predict other.fa MODELS -o b --threshold 0.9",
        "export a -f", "export a -o c --threshold 0.8 --virus-fasta", "export a -o c", "report a",
        "report a -o pages --threshold 0.8", "report a b -o page.html", "compare a a --exact",
        "compare a b -o compared.json", "compare a c", "compare a reads.fa",
        "utils validate-checkpoints a", "utils validate-checkpoints b --skip-load",
        "predict reads.fa MODELS -o a --resume", "predict other.fa MODELS -o a --resume",
        "predict other.fa MODELS -e 90 -o b --resume",
        "predict other.fa MODELS -e 90 -o b --force-resume"],
    "shards": [
        "predict blocks.fa MODELS -o all", "predict blocks.fa MODELS --shard 0/2 -o p0",
        "merge p0 -o merged", "predict blocks.fa MODELS --shard 1/2 -o p1",
        "merge p0 p1 -o merged", "compare all merged --exact"],
    "embed": [
        "embed reads.fa ENCODERS -e 60 -o a.h5", "embed cut.fa.gz ENCODERS -o c.h5",
        "embed r1.fq.gz r2.fq.gz ENCODERS -e 60 --what esm2 -o b.h5", "compare a.h5 b.h5"],
    "generate": [
        "generate -n 5 --length 300 -o g.fa", "generate -n 3 --length from:reads.fa -o -",
        "generate --preset tiny --length uniform:99-900 --files 3 --seed 7 --gc 0.3 -o g",
        "generate -n 3 --length lognormal:400,0.5,100-500 --coding 0.5 -o h.fa",
        "generate -n 3 --length 9 -o g.fa"],
    "utils": [
        "utils list-devices", "utils validate reads.fa reads.fa.gz r1.fq.gz reads.bam reads.sam",
        "utils validate cut.fa.gz bad.fq cut.bam absent.fa empty.fa", "utils generate-config",
        "utils generate-config -o all.yaml", "utils generate-config -o all.yaml",
        "utils generate-config -c typo.yaml -v", "utils generate-config -c wrong.yaml",
        "utils export-weights synthetic:esm2_tiny:3 -o esm", "utils inspect esm",
        "utils export-weights synthetic:dnabert-s-tiny -o bert", "utils inspect bert",
        "utils inspect reads.fa",
        "embed reads.fa --dnabert-model bert --esm-model esm -e 60 -o e.h5"],
    "wrong use": [
        "", "utils", "perdict x.fa", "predict", "predict x.fa --treads 2", "predict - -",
        "predict x.fa --threads ''", "predict x.fa -t -1", "predict x.fa -e 0",
        "predict x.fa -m 400", "predict x.fa -m custom -e 9", "predict x.fa --threshold 2",
        "predict x.fa --precision int4", "predict x.fa -d tpu", "predict x.fa -d cuda:1",
        "predict x.fa --telemetry some", "predict x.fa --shard 2/2", "predict x.fa -o - -k",
        "predict x.fa --resume --force", "predict x.fa -q -v", "predict --paired x.fa",
        "predict x.fa MODELS", "predict empty.fa MODELS --no-report", "predict wrong.yaml MODELS",
        "predict reads.fa -p absent.pth", "predict reads.fa MODELS --esm-model synthetic:huge",
        "predict reads.fa MODELS --dnabert-model reads.fa", "predict reads.fa -c absent.yaml",
        "embed reads.fa", "generate -n 1 -o x.fa --gc 1.5", "merge absent -o x", "export absent",
        "report absent", "compare absent reads.fa", "profile -m bert", "tune --data-size huge",
        "benchmark --suite speed"],
    "profile": [
        "profile -m esm2 ENCODERS -t 1 --seconds 0.05 --min-batch 200 --max-batch 400 -o p.json",
        "profile -m dnabert-s ENCODERS -t 1 --seconds 0.05 --max-batch 512 --test-file reads.fa"],
    "tune": ["tune SYNTHETIC --data-size tiny --threads-grid 1 --prefetch-grid 2 --budget-grid 512 "
             "--quick"],
    "benchmark": ["benchmark SYNTHETIC -d cpu -t 1 --quick --data-size tiny -c once.yaml -o bench"],
}


def bgzf(data):
    """Returns BGZF with one block of data, and the empty block that ends a file."""
    blocks = b""
    for part in (data, b""):
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(part) + packer.flush()
        blocks += bytes.fromhex("1f8b08040000000000ff060042430200")
        blocks += struct.pack("<H", len(packed) + 25) + packed
        blocks += struct.pack("<II", zlib.crc32(part), len(part))
    return blocks


def bam(records):
    """Returns BAM with unmapped reads without qualities."""
    data = b"BAM\1" + struct.pack("<II", 0, 0)
    for name, letters in records:
        codes = ["=ACMGRSVTWYHKDBN".index(letter) for letter in letters] + [0] * (len(letters) % 2)
        body = struct.pack("<iiBBHHHIiii", -1, -1, len(name) + 1, 0, 4680, 0, 4, len(letters),
                           -1, -1, 0)
        body += name.encode() + b"\0" + bytes(a << 4 | b for a, b in zip(codes[::2], codes[1::2]))
        data += struct.pack("<I", len(body) + len(letters)) + body + b"\xff" * len(letters)
    return bgzf(data)


def fasta(records):
    return "".join(f">{name} a record\n{letters}\n" for name, letters in records).encode()


def fastq(records):
    return "".join(f"@{name}\n{letters}\n+\n{'I' * len(letters)}\n"
                   for name, letters in records).encode()


def sam(records):
    return "@HD\tVN:1.6\n".encode() + "".join(
        f"{name}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters}\t{'I' * len(letters)}\n"
        for name, letters in records).encode()


def random_records(seed, count, longest):
    source = random.Random(seed)
    return [(f"s{i}", "".join(source.choices("ACGT", k=source.randint(40, longest))))
            for i in range(count)]


def make_inputs(folder):
    """Makes every file that the runs name."""
    plain = random_records(1, 40, 420)
    # A twin, stop codons in every frame, nothing, and letters beside A, C, G and T.
    awkward = plain + [plain[0], ("stops", "CTAG" * 40), ("empty", ""), ("odd", "ACGTNRYX" * 20)]
    # Two blocks of the kind that shards share; most records have no frame, for speed.
    blocks = [(f"b{i}", "CTAG" * 8 if i % 16 else letters)
              for i, (_, letters) in enumerate(random_records(2, 4200, 60))]
    for name, data in {
        "reads.fa": fasta(awkward), "reads.fa.gz": gzip.compress(fasta(awkward)),
        "other.fa": fasta(plain[:9]), "many.fa": fasta(random_records(4, 900, 300)),
        "blocks.fa": fasta(blocks), "empty.fa": b"",
        "cut.fa.gz": gzip.compress(fasta(plain))[:1500],
        "r1.fq.gz": gzip.compress(fastq(plain)), "bad.fq": fastq(plain[:3]) + b"@x\nAC\n+\nI\n",
        "r2.fq.gz": gzip.compress(fastq(random_records(3, 40, 420))),
        "reads.bam": bam(plain), "cut.bam": bam(plain)[:-28], "reads.sam": sam(plain),
        # How often the monitor looks must not depend on what else the machine does.
        "once.yaml": b"run: {monitor_interval: 3600}\n",
        "set.yaml": b"run: {threshold: 0.4, prefetch: 3, monitor_interval: 3600}\n"
                    b"prediction: {batch_size: 3}\n",
        "wrong.yaml": b"run:\n  prefetch: many\n", "typo.yaml": b"run:\n  thredas: 2\n",
    }.items():
        (folder / name).write_bytes(data)
    if shutil.which("samtools"):
        subprocess.run(["samtools", "view", "-C", "--output-fmt-option", "no_ref=1", "reads.sam",
                        "-o", "reads.cram"], cwd=folder, check=True)


def lacking(name):
    """Returns why a case cannot be run; empty if it can."""
    return "no samtools" if name == "CRAM" and not shutil.which("samtools") else ""

"""calibrate: the error of a precision, what to keep in 16 bits, and the margin, for predict."""

import array
import json
import os
import re
import struct

import pytest
from browser import assert_readable
from checksums import xxh3_128
from conftest import MODELS, SHORT, Program, fasta, message

CALIBRATE = ["calibrate", *MODELS, "-e", "100", "--precision", "int8-simulated", "--frames", "300",
             "--target-calls", "0.9"]
# A layer whose hidden units have one that is so large that 8 bits have no room for the others.
TINY_LAYERS = 2  # of synthetic:esm2_tiny
SPIKED_LAYER = 1
SPIKED_UNIT = 5
SPIKE = 1e5
MAKING = "calibrating int8-simulated against fp32 on 50 made-up frames"
STRANGER = 54321  # no user of this program
HASH = ',\n "hash": "'


def calibrated(program, output="calibration"):
    return json.loads((program.folder / output / "calibration.json").read_text())


@pytest.fixture(scope="module")
def run(genome, tmp_path_factory):
    """A calibration, and reads of the genome."""
    program = Program(tmp_path_factory.mktemp("calibrated"))
    (program.folder / "reads.fa").write_text(
        fasta({f"read_{i}": genome[i * 150:i * 150 + 250] for i in range(150)}))
    (program.folder / "few.fa").write_text(fasta({"read": genome[:250]}))
    program.printed = program(*CALIBRATE, code=0)
    return program


def predict(program, output, *arguments, code=0):
    command = ["reads.fa", *SHORT, "--precision", "int8-simulated", "-o", output, *arguments]
    if "--resume" not in arguments:
        command.append("--force")
    return program.predict(*command, code=code)


def auto(program, output, place, *arguments, reads="few.fa"):
    """What a run says that calibrates itself, with its cache in `place`."""
    (program.folder / "few.yaml").write_text("run:\n  calibration_frames: 50\n")
    result = program("-v", "-c", "few.yaml", "predict", reads, "--name", "reads", *MODELS, *SHORT,
                     "--precision", "int8-simulated", "--margin", "auto", "-o", output, "--force", *arguments,
                     environment={"VIRNUCPRO_CACHE": str(place)}, code=0)
    return message(result)


def forged(text, margin):
    """A calibration with another margin and the hash that goes with it."""
    body = re.sub(r'"margin": [^,]+', f'"margin": {margin}', text[:text.rindex(HASH)], count=1)
    return f'{body}{HASH}{xxh3_128(body.encode())}"\n}}\n'


def reproduced(program, output):
    """How the run came about, as its report says."""
    report = json.loads((program.folder / output / "report.json").read_text())
    return report["sections"]["reproduce"]["fields"]


def calls(program, output):
    rows = program.tables(output, "reads")["sequences.tsv"].decode().splitlines()
    return {row.split("\t")[0]: row.split("\t")[1] for row in rows if not row.startswith("#")}


def test_what_it_finds(run):
    found = calibrated(run)
    assert found["schema"] == "virnucpro-calibration-1"
    assert found["made_for"]["precision"] == "int8-simulated"
    assert found["made_for"]["check_precision"] == "fp32"
    assert found["int8_keep"] == "none" and found["reached"] is True
    (point,) = found["points"]
    assert point["frames"] == found["sample"]["frames"] == 300
    assert found["margin"] == point["logit_largest"] > 3 * point["logit_rms"] / 2
    assert 0 < point["centred"] < 0.01 and point["share_in_8_bits"] == 1
    # Clopper and Pearson: 300 frames without one, 1 - 0.05^(1/300).
    assert found["chance"] == pytest.approx(1 - 0.05 ** (1 / 300))
    assert "300 frames are too few" in message(run.printed)
    printed = run.printed.stdout.decode()
    assert re.search(r"^ +0 +100\.0 % +300 ", printed, re.M), printed
    assert f"margin: {found['margin']:.4g} logits" in printed
    assert "virnucpro predict INPUT --precision int8-simulated --calibration" in printed
    assert_readable(run.folder / "calibration" / "calibration.html")
    page = (run.folder / "calibration" / "calibration.html").read_text()
    assert "Speed against error" in page and "<svg" in page


def test_it_is_a_function_of_weights_and_seed(run):
    first = calibrated(run)
    run(*CALIBRATE, "-o", "again", "-t", "1", code=0)
    run(*CALIBRATE, "-o", "other", "--seed", "1", code=0)
    again, other = calibrated(run, "again"), calibrated(run, "other")
    assert again["margin"] == first["margin"] != other["margin"]
    assert again["made_for"] == first["made_for"] == other["made_for"]


def test_predict_takes_it(run):
    file = "calibration/calibration.json"
    result = predict(run, "calibrated", "-v", "--calibration", file)
    margin = calibrated(run)["margin"]
    assert f"chunks whose two scores are at most {margin:g} logits apart are computed again in fp32" in \
        message(result)
    predict(run, "by_hand", "--margin", repr(margin))
    assert run.tables("calibrated", "reads") == run.tables("by_hand", "reads")
    run.predict("reads.fa", *SHORT, "-o", "exact", "--force", code=0)
    assert calls(run, "calibrated") == calls(run, "exact")
    (run.folder / "c.yaml").write_text(f"run:\n  calibration: {file}\n")
    run("-c", "c.yaml", "predict", "reads.fa", *MODELS, *SHORT, "--precision", "int8-simulated",
        "-o", "by_key", code=0)
    assert run.tables("by_key", "reads") == run.tables("calibrated", "reads")
    result = run("-v", "-c", "c.yaml", "predict", "reads.fa", *MODELS, *SHORT, "-o", "in_fp32",
                 code=0)
    assert "run.calibration has no effect: it was made for int8-simulated" in message(result)
    assert run.tables("in_fp32", "reads") == run.tables("exact", "reads")


def test_margin_auto_calibrates_once_for_some_models(run):
    cache = run.folder / "cache"
    assert MAKING in auto(run, "auto", cache, reads="reads.fa")
    (file,) = (cache / "calibrations").iterdir()
    said = auto(run, "again", cache, reads="reads.fa")
    margin = json.loads(file.read_text())["margin"]
    assert MAKING not in said
    assert f"calibration: {file}; its margin: {margin:g} logits" in said
    # As the command makes it, and one run with it.
    run("calibrate", *MODELS, "-e", "100", "--precision", "int8-simulated", "--frames", "50",
        "--target-calls", "0", "-o", "by_command", code=0)
    predict(run, "by_file", "--calibration", "by_command/calibration.json")
    predict(run, "auto", "--calibration", "by_command/calibration.json", "--resume")
    assert run.tables("auto", "reads") == run.tables("again", "reads") == \
        run.tables("by_file", "reads")
    file.write_text(file.read_text().replace('"margin": ', '"margin": 1'))
    said = auto(run, "again", cache, reads="reads.fa")
    assert "; a new calibration is made" in said and MAKING in said
    assert MAKING in auto(run, "other", cache, "-p", "synthetic:9")
    assert len(list((cache / "calibrations").iterdir())) == 2
    (run.folder / "a_file").write_text("")
    said = auto(run, "again", run.folder / "a_file", reads="reads.fa")
    assert MAKING in said and "the calibration is not kept for later runs" in said
    assert run.tables("auto", "reads") == run.tables("again", "reads")
    assert reproduced(run, "again")["calibration_file"] == "made for this run, not kept"


def test_a_cache_that_strangers_may_write_to_is_not_used(run):
    cache = run.folder / "guarded"
    auto(run, "mine", cache)
    folder = cache / "calibrations"
    (file,) = folder.iterdir()
    # Whatever is in a cache that is not used, it stays so.
    planted = forged(file.read_text(), 99)
    file.write_text(planted)
    changes = [(place, lambda place: place.chmod(0o777), "every user may write to it")
               for place in (cache, folder)]
    if os.geteuid() == 0:  # nobody else can give files away
        changes += [(place, lambda place: os.chown(place, STRANGER, -1),
                     f"it belongs to another user (user id {STRANGER})")
                    for place in (cache, folder)]
    for place, change, why in changes:
        change(place)
        said = auto(run, "theirs", cache)
        assert MAKING in said and "the calibration is not kept for later runs" in said
        assert f"{place}: {why}" in said and "so this folder is not used as a cache" in said
        assert file.read_text() == planted and list(folder.iterdir()) == [file]
        os.chown(place, os.geteuid(), -1)
        place.chmod(0o755)
    assert run.tables("theirs", "reads") == run.tables("mine", "reads")
    # What the link leads to counts.
    (run.folder / "open").mkdir()
    (run.folder / "open").chmod(0o777)
    (run.folder / "link").symlink_to("open")
    assert "every user may write to it" in auto(run, "theirs", run.folder / "link")
    assert list((run.folder / "open").iterdir()) == []


def test_a_cache_for_a_group_or_with_a_sticky_bit_is_used(run):
    cache = run.folder / "shared"
    cache.mkdir()
    cache.chmod(0o2775)
    assert f"{cache}: the folder's group may write to it" in auto(run, "shared", cache)
    folder = cache / "calibrations"
    (file,) = folder.iterdir()
    folder.chmod(0o775)
    if os.geteuid() == 0:
        os.chown(file, STRANGER, -1)
    assert MAKING not in auto(run, "shared", cache)
    cache.chmod(0o1777)
    folder.chmod(0o1777)
    said = auto(run, "shared", cache)
    if os.geteuid() == 0:
        assert f"it belongs to another user (user id {STRANGER}); a new calibration is made" in said
    assert MAKING not in auto(run, "shared", cache)
    file.chmod(0o666)
    assert "every user may write to it (chmod o-w ends that); a new calibration is made" in \
        auto(run, "shared", cache)


def test_what_else_lies_in_a_cache(run):
    cache = run.folder / "odd"
    auto(run, "odd", cache)
    (file,) = (cache / "calibrations").iterdir()
    text = file.read_text()
    (run.folder / "elsewhere.json").write_text(text)
    for make, why in ((lambda: os.mkfifo(file), "it is not a regular file"),
                      (lambda: file.symlink_to(run.folder / "elsewhere.json"),
                       "it is not a regular file"),
                      (lambda: file.write_text(" " * (9 << 20)), "larger than the limit"),
                      (lambda: file.write_text(forged(text, 0)), "its margin is 0 logits")):
        file.unlink()
        make()
        said = auto(run, "odd", cache)
        assert MAKING in said, why
        assert why in said and f"{file}: the calibration cannot be used" in said
        assert "a new calibration is made" in said
        assert file.is_file() and not file.is_symlink()
        assert MAKING not in auto(run, "odd", cache)


def test_another_calibration_is_another_run(run):
    file = "calibration/calibration.json"
    run(*CALIBRATE, "-o", "seed_2", "--seed", "2", "--force", code=0)
    predict(run, "half_0", "--calibration", file, "--shard", "0/2")
    predict(run, "half_1", "--calibration", file, "--shard", "1/2")
    predict(run, "whole", "--calibration", file)
    run("merge", "half_0", "half_1", "-o", "merged", "--force", code=0)
    assert run.tables("merged", "reads") == run.tables("whole", "reads")
    other = ["--calibration", "seed_2/calibration.json"]
    result = predict(run, "whole", "--resume", *other, code=3)
    assert "--calibration (was " in message(result)
    predict(run, "half_1", *other, "--shard", "1/2", "--margin",
            repr(calibrated(run)["margin"]))
    result = run("merge", "half_0", "half_1", "-o", "merged", "--force", code=3)
    assert "--calibration (is " in message(result)


def test_what_is_refused(run):
    text = (run.folder / "calibration" / "calibration.json").read_text()
    file = run.folder / "bad.json"

    def refused(content, why, *arguments):
        file.write_bytes(content)
        result = predict(run, "refused", "--calibration", "bad.json", *arguments, code=1)
        assert "bad.json: the calibration cannot be used" in message(result)
        assert why in message(result)
        assert not (run.folder / "refused" / "reads_merged").exists()

    changed = "virnucpro calibrate did not write it, or it was damaged"
    refused(text.replace('"margin": ', '"margin": 1').encode(), changed)
    for cut in (0, 1, len(text) // 2, len(text) - 2):
        refused(text[:cut].encode(), changed)
    refused(b"\xff\x00" * 100, changed)
    refused(text.encode(), "it was made for another ESM-2 (was ", "--esm-model",
            "synthetic:esm2_tiny:1")
    refused(text.encode(), "it was made for another classifier (was ", "-p", "synthetic:9")
    for arguments, why in ((["--precision", "fp32"], "it was made for int8-simulated, and this"),
                           (["--calibration", "none.json"], "none.json")):
        result = predict(run, "refused", "--calibration", "bad.json", *arguments, code=1)
        assert why in message(result)
    (run.folder / "c.yaml").write_text("run:\n  calibration: calibration/calibration.json\n")
    result = run("-v", "-c", "c.yaml", "predict", "reads.fa", *MODELS, *SHORT, "--precision",
                 "int8-simulated", "--int8-keep", "fc2", "-o", "kept", "--force", code=0)
    assert "run.calibration has no effect: --int8-keep is given" in message(result)
    result = predict(run, "refused", "--calibration", "bad.json", "--int8-keep", "fc2", code=1)
    assert "--int8-keep: the calibration already names the products" in message(result)


def test_a_margin_that_no_error_has_is_refused_unless_it_is_asked_for(run):
    text = (run.folder / "calibration" / "calibration.json").read_text()
    file = run.folder / "forged.json"
    for margin in ("0", "1e-300", "1e-7"):
        file.write_text(forged(text, margin))
        for arguments in ([], ["--margin", "auto"]):
            result = predict(run, "forged", "--calibration", "forged.json", *arguments, code=1)
            assert f"forged.json: the calibration cannot be used: its margin is {float(margin):g}" \
                in message(result)
            assert "or give a margin (--margin)" in message(result)
        assert not (run.folder / "forged").exists()
    file.write_text(forged(text, "101"))
    predict(run, "forged", "--calibration", "forged.json", code=1)
    # A margin that is asked for goes before.
    file.write_text(forged(text, "0"))
    predict(run, "forged", "--calibration", "forged.json", "--margin", "0.05")
    told = reproduced(run, "forged")
    assert told["calibration_file"] == str(file)
    assert told["calibration_margin"] == 0 and told["margin"] == 0.05


def test_the_report_names_it(run):
    file = run.folder / "calibration" / "calibration.json"
    predict(run, "named", "--calibration", "calibration/calibration.json")
    told = reproduced(run, "named")
    margin = calibrated(run)["margin"]
    assert told["calibration_file"] == str(file)
    assert told["calibration_margin"] == told["margin"] == pytest.approx(margin)
    for page in ("report.html", "report.md"):
        assert file.name in (run.folder / "named" / page).read_text()
    predict(run, "unnamed", "--margin", "0.05")
    assert "calibration_file" not in reproduced(run, "unnamed")


def test_what_cannot_be_asked_for(program):
    for arguments, why in (
            (["--frames", "0"], "--frames 0: expected a whole number from 1"),
            (["--seed", "-1"], "--seed -1: expected a whole number from 0"),
            (["--target-cosine", "1.1"], "--target-cosine 1.1: expected a number from 0 to 1"),
            (["--target-calls", "x"], "--target-calls x: expected a number from 0 to 1"),
            (["--precision", "fp32"], "fp32 is not finer than the run's precision, fp32"),
            (["--on", "none.fa"], "none.fa")):
        assert why in message(program(*CALIBRATE, *arguments, code=1)), arguments
    assert list(program.folder.iterdir()) == []
    (program.folder / "calibration").mkdir()
    (program.folder / "calibration" / "calibration.md").write_text("mine")
    program(*CALIBRATE, code=1)
    assert (program.folder / "calibration" / "calibration.md").read_text() == "mine"


def test_frames_of_a_file(program, sequences):
    (program.folder / "a.fa").write_text(fasta(sequences))
    program(*CALIBRATE, "--on", "a.fa", "--frames", "20", code=0)
    found = calibrated(program)
    assert found["sample"]["source"] == "a.fa" and found["sample"]["frames"] == 20
    result = program(*CALIBRATE, "--on", "a.fa", "--frames", "90000", "--force", code=0)
    assert f"the sample has {calibrated(program)['sample']['frames']} frames; 90,000 were wanted" in \
        message(result)


class Safetensors:
    """A file's tensors, to be changed in place."""

    def __init__(self, path):
        self.path = path
        data = path.read_bytes()
        (size,) = struct.unpack("<Q", data[:8])
        self.head = data[:8 + size]
        self.tensors = json.loads(data[8:8 + size])
        self.numbers = array.array("f", data[8 + size:])

    def scale(self, name, places, factor):
        """`places` gives the indices that are meant from the tensor's shape."""
        tensor = self.tensors[name]
        assert tensor["dtype"] == "F32"
        first = tensor["data_offsets"][0] // 4
        for place in places(*tensor["shape"]):
            self.numbers[first + place] *= factor

    def write(self):
        self.path.write_bytes(self.head + self.numbers.tobytes())


def spiked_model(program):
    program("utils", "export-weights", "synthetic:esm2_tiny", "-o", "spiked", code=0)
    (path,) = (program.folder / "spiked").glob("*.safetensors")
    weights = Safetensors(path)
    layer = next(name for name in weights.tensors
                 if f"layer.{SPIKED_LAYER}.intermediate.dense.weight" in name)
    weights.scale(layer, lambda rows, width: range(SPIKED_UNIT * width, (SPIKED_UNIT + 1) * width),
                  SPIKE)
    weights.scale(layer.replace("weight", "bias"), lambda rows: [SPIKED_UNIT], SPIKE)
    weights.scale(layer.replace("intermediate", "output"),
                  lambda rows, width: range(SPIKED_UNIT, rows * width, width), 1 / SPIKE)
    weights.write()


def test_it_finds_a_layer_that_needs_16_bits(program, sequences):
    spiked_model(program)
    esm2 = ["--esm-model", "spiked"]
    program(*CALIBRATE, *esm2, code=0)
    found = calibrated(program)
    first, last = found["points"][0], found["points"][-1]
    assert first["int8_keep"] == "none" and first["centred"] > 0.01
    assert found["reached"] is True and last["centred"] <= 0.01
    assert f"{SPIKED_LAYER}.fc2" in found["int8_keep"].split(","), found["int8_keep"]
    assert last["kept"] <= 2
    (program.folder / "a.fa").write_text(fasta(sequences))
    command = ["a.fa", *esm2, *SHORT, "--precision", "int8-simulated"]
    program.predict(*command, "--calibration", "calibration/calibration.json", "-o", "out", code=0)
    (path,) = (program.folder / "out").glob("telemetry_*.json")
    assert json.loads(path.read_text())["settings"]["int8_keep"] == found["int8_keep"]


def test_a_target_out_of_reach_is_said(program):
    result = program(*CALIBRATE, "--frames", "20", "--target-cosine", "1", code=0)
    assert "the target is missed" in message(result)
    found = calibrated(program)
    assert found["reached"] is False
    assert found["points"][-1]["share_in_8_bits"] == 0
    # A feed-forward layer has 4 times the width, so a layer multiplies 12 times its width squared.
    work = {"qkv": 3, "out": 1, "fc1": 4, "fc2": 4}
    for point in found["points"][1:]:
        kept = sum(work[one.split(".")[-1]] * (1 if "." in one else TINY_LAYERS)
                   for one in point["int8_keep"].split(","))
        assert point["share_in_8_bits"] == pytest.approx(1 - kept / (12 * TINY_LAYERS)), point
    assert "less than half of the multiplications are in 8 bits" in message(result)


def test_a_calibration_of_a_deeper_model_is_refused_by_name(run):
    run("calibrate", "--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model",
        "synthetic:esm2_t6_8M_UR50D", "-p", "synthetic", "-e", "100", "--precision",
        "int8-simulated", "--frames", "4", "--int8-keep", "5.fc2", "-o", "deeper", code=0)
    result = predict(run, "refused", "--calibration", "deeper/calibration.json", code=1)
    assert "calibration.json: the calibration cannot be used: it was made for another ESM-2" in \
        message(result)

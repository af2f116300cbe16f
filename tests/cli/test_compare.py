"""compare: two runs, tables or files of embeddings, including those of the original."""

import json
import os
import re
import shutil
import struct

import h5py
import numpy
import pytest
import torch
from checksums import crc32c
from conftest import SOURCE, TABLES, change_journal, message

ORIGINAL = SOURCE / "tests" / "data" / "vanilla" / "expected"
FRAMES = "Sequence_ID\tPrediction\tscore1\tscore2\n"
CONSENSUS = "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1\n"
TABLE = FRAMES + "a\tvirus\t0.1\t0.9\nb\tothers\t0.75\t0.25\nc\tvirus\t0.45\t0.5\n"
LINES = [len("".join(TABLE.splitlines(keepends=True)[:k])) for k in range(5)]  # begin of each
HDF5 = {"dnabert_s": 3, "esm2": 4, "merged": 7}


@pytest.fixture
def run(with_reads):
    """A run's output directory with embeddings."""
    with_reads.predict("reads.fa", "-e", "100", "-o", "out", "-k", "--no-report", "--name", "a", code=0)
    return with_reads


def copy_of_run(program):
    shutil.rmtree(program.folder / "copy", ignore_errors=True)
    shutil.copytree(program.folder / "out", program.folder / "copy")
    return program.folder / "copy"


def write_tables(program, a, b):
    (program.folder / "a.txt").write_text(a)
    (program.folder / "b.txt").write_text(b)
    return ["compare", "a.txt", "b.txt"]


def warnings(program, *arguments):
    """What stderr says: of each directory without a journal, if the bars follow the precisions."""
    folders = [side for side in arguments[:2] if (program.folder / side).is_dir()]
    if {"--rtol", "--atol", "--exact"} & set(arguments) or len(folders) < 2:
        return ""
    journals = [program.folder / side / "run.db" for side in folders]
    return "".join(
        f"virnucpro: warning: {side}: no journal names the run's precision, so fp16 is assumed\n"
        for side, journal in zip(folders, journals)
        if not (journal.exists() and journal.read_bytes().startswith(b"SQLite format 3")))


def compared(program, *arguments, code=0):
    """The comparison's JSON, which must agree with stdout."""
    result = program("compare", *arguments, "-f", "-o", "compared.json", code=code)
    assert result.stderr.decode() == warnings(program, *arguments)
    written = json.loads((program.folder / "compared.json").read_text())
    check_text(result.stdout.decode(), written)
    assert written["equal"] == (code == 0)
    return written


def check_text(text, written):
    for name in "ab":
        assert f"\n{name.upper()}          {written[name]}\n" in "\n" + text
    assert text.endswith(f"\n\n{written['verdict']}\n")
    head, *parts = re.split(r"(?m)^\n(?=\S)", text)
    assert all(f"remark     {remark}\n" in head for remark in written["remarks"])
    assert len(parts) == len(written["datasets"]) + 1
    for part, dataset in zip(parts, written["datasets"]):
        check_dataset(part, dataset)


def check_dataset(text, dataset):
    both = dataset["rows_both"]
    assert text.startswith(dataset["name"] + "\n")
    assert (f"{dataset['rows_a']:,} in A, {dataset['rows_b']:,} in B, {both:,} in both" in text)
    assert ("in another order" in text) == (not dataset["same_order"])
    assert dataset["rows_a"] == both + dataset["only_a"]
    assert dataset["rows_b"] == both + dataset["only_b"]
    assert both == dataset["identical"] + dataset["within"] + dataset["differing"]
    if both:
        assert re.search(rf"(?m)^  identical +{dataset['identical']:,} of {both:,} ", text)
        within = dataset["identical"] + dataset["within"]
        assert re.search(rf"(?m)^  within tolerance +{within:,} of {both:,} ", text)
    if dataset["labels"]:
        labels = dataset["labels"]
        line = f"{labels['equal']:,} equal, {labels['differing']:,} differ"
        assert re.search(rf"(?m)^  {labels['column']} +{line}", text)
    if dataset["cosine"]:
        assert f"at least {dataset['cosine']['min']:.9f} " in text
    for row in dataset["differing_rows"]:
        assert f", {row['id']}: {row['column']} is {row['a']} in A, {row['b']} in B; " in text
    for name in dataset["only_a_ids"] + dataset["only_b_ids"]:
        assert f"\n    {name}\n" in text


def not_compared(program, *arguments):
    """The message when two things cannot be compared."""
    result = program("compare", *arguments, "-o", "compared.json")
    assert (result.returncode, result.stdout) == (2, b""), message(result)
    assert not (program.folder / "compared.json").exists()
    assert "could not compare" in message(result)
    assert message(result).splitlines()[-1].startswith("  "), "what to do"
    return message(result)


# --- runs ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("flags", [[], ["--exact"], ["--rtol", "0", "--atol", "0"]])
def test_a_run_and_itself(run, flags):
    written = compared(run, "out", "out", *flags)
    assert written["kind"] == "directory"
    assert written["verdict"] == "identical"
    assert written["remarks"] == []
    assert [d["name"] for d in written["datasets"]] == [*TABLES, "sequences.tsv", *HDF5]
    for dataset in written["datasets"]:
        assert dataset["identical"] == dataset["rows_both"] > 0
    labels = [d["labels"]["column"] for d in written["datasets"] if d["labels"]]
    assert labels == ["Prediction", "Is_Virus", "call"]
    for dataset in written["datasets"][3:]:
        assert dataset["cosine"]["min"] == pytest.approx(1, abs=1e-12)


def test_a_difference_in_one_row_of_embeddings(run):
    with h5py.File(copy_of_run(run) / "embeddings.h5", "r+") as file:
        name = file["ids"][7].decode()
        file["esm2"][7, 11] += 0.5
    written = compared(run, "out", "copy", code=1)
    esm2 = next(d for d in written["datasets"] if d["name"] == "esm2")
    assert esm2["differing"] == 1
    row, largest = esm2["differing_rows"][0], esm2["numbers"]["largest"]
    for found in (row, largest):
        assert [found[key] for key in ("id", "row_a", "row_b", "column")] == [name, 8, 8, "11"]
    assert row["cause"] == "number"
    assert row["difference"] == pytest.approx(0.5, abs=1e-6)
    assert esm2["cosine"]["min_id"] == name and esm2["cosine"]["min"] < 1
    assert [d["equal"] for d in written["datasets"]] == [d is not esm2 for d in written["datasets"]]


def test_one_bit_of_an_embedding(run):
    with h5py.File(copy_of_run(run) / "embeddings.h5", "r+") as file:
        file["merged"][2, 1] = numpy.nextafter(file["merged"][2, 1], numpy.float32(9))
    assert compared(run, "out", "copy")["verdict"] == "labels equal, numbers within tolerance"
    written = compared(run, "out", "copy", "--exact", code=1)
    assert written["datasets"][-1]["differing_rows"][0]["column"] == "1"


def test_a_label_that_changed(run):
    table = copy_of_run(run) / "a_merged" / TABLES[0]
    lines = table.read_text().splitlines(keepends=True)
    name, label, *scores = lines[4].split("\t")
    other = "virus" if label == "others" else "others"
    lines[4] = "\t".join([name, other, *scores])
    table.write_text("".join(lines))
    written = compared(run, "out", "copy", code=1)
    frames = written["datasets"][0]
    assert frames["labels"]["differing"] == 1
    margin = abs(float(scores[0]) - float(scores[1]))
    row = frames["differing_rows"][0]
    assert (row["id"], row["row_a"], row["a"], row["b"]) == (name, 4, label, other)
    assert row["margin"] == pytest.approx(margin)
    assert row["cause"] == ("label-near-boundary" if margin <= 0.1 else "label")
    assert written["datasets"][1]["equal"]


def with_noise(run, noise):
    """A copy whose scores are all larger by `noise`, with the same labels."""
    table = copy_of_run(run) / "a_merged" / TABLES[0]
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    for row in rows[1:]:
        row[2:] = [str(float(score) + noise) for score in row[2:]]
    table.write_text("".join("\t".join(row) + "\n" for row in rows))


def set_precision(folder, name):
    """What a journal names as its run's precision, with the checksum of its row."""
    key, value = b"precision", name.encode()
    crc = crc32c(bytes([len(key)]) + key + bytes([len(value)]) + value)
    change_journal(folder, ("UPDATE fingerprint SET value = ?, crc = ? WHERE key = ?", (name, crc, key.decode())))


@pytest.mark.parametrize("a, b, bar", [("fp32", "fp16", "fp16: |a - b| <= 0.02, and <= 0.005 for"),
                                       ("bf16", "fp16", "bf16: |a - b| <= 0.05, and <= 0.02 for"),
                                       ("int8", "fp32", "int8: |a - b| <= 0.1, and <= 0.04 for"),
                                       ("fp32", "int8-simulated",
                                        "int8: |a - b| <= 0.1, and <= 0.04 for")])
def test_equal_labels_with_the_noise_of_a_precision_are_equal(run, a, b, bar):
    """The coarser of the two precisions decides; labels are told first, then numbers."""
    with_noise(run, 2e-4)
    set_precision(run.folder / "out", a)
    set_precision(run.folder / "copy", b)
    written = compared(run, "out", "copy")
    assert written["verdict"] == "labels equal, numbers within tolerance"
    assert written["tolerance"]["precision"] == bar.partition(":")[0]
    assert f"tolerance  for {bar} 99 %" in run("compare", "out", "copy").stdout.decode()
    explicit = compared(run, "out", "copy", "--rtol", "0", "--atol", "1e-4", code=1)
    assert explicit["verdict"] == "labels equal, numbers beyond tolerance"
    assert explicit["tolerance"]["precision"] == ""
    with_noise(run, 0.2)
    set_precision(run.folder / "copy", b)
    assert compared(run, "out", "copy", code=1)["verdict"] == explicit["verdict"]


def test_a_directory_of_v2_counts_as_fp16(run):
    with_noise(run, 2e-4)
    (run.folder / "copy" / "run.db").unlink()
    assert compared(run, "out", "copy")["tolerance"]["precision"] == "fp16"
    told = "copy: no journal names the run's precision, so fp16 is assumed"
    assert told in run("compare", "out", "copy").stderr.decode()
    set_precision(run.folder / "out", "bf16")
    assert compared(run, "out", "copy")["tolerance"]["precision"] == "bf16"
    (run.folder / "out" / "run.db").write_bytes(b"no database")
    assert compared(run, "out", "copy")["tolerance"]["precision"] == "fp16"


def test_tables_alone_name_no_precision(run):
    with_noise(run, 2e-4)
    for name in ("out", "copy"):
        set_precision(run.folder / name, "int8")
    table = f"a_merged/{TABLES[0]}"
    compared(run, f"out/{table}", f"copy/{table}", "--rtol", "0", code=1)
    compared(run, f"out/{table}", f"copy/{table}", "--rtol", "0", "--atol", "3e-4")


def test_noise_in_fp32_is_no_noise_of_a_precision(run):
    with_noise(run, 2e-4)
    assert compared(run, "out", "copy", code=1)["verdict"] == "labels equal, numbers beyond tolerance"


def test_what_one_run_has_alone(run):
    copy = copy_of_run(run)
    (copy / "embeddings.h5").unlink()
    (copy / "sequences.tsv").unlink()
    written = compared(run, "out", "copy")
    assert written["remarks"] == ["sequences.tsv is in A alone", "embeddings.h5 is in A alone"]
    assert len(written["datasets"]) == 2
    assert compared(run, "copy", "out")["remarks"][0] == "sequences.tsv is in B alone"


def test_the_folder_of_the_tables_alone(run):
    written = compared(run, "out/a_merged", "out")
    assert [d["name"] for d in written["datasets"]] == list(TABLES)


def test_a_directory_without_a_run(run):
    (run.folder / "empty").mkdir()
    assert "empty: could not compare: it holds no table" in not_compared(run, "out", "empty")
    copy = copy_of_run(run)
    shutil.copytree(copy / "a_merged", copy / "b_merged")
    assert "several runs, a_merged and b_merged" in not_compared(run, "out", "copy")


def test_runs_with_nothing_in_common(run):
    copy = copy_of_run(run)
    shutil.rmtree(copy / "a_merged")
    (run.folder / "out" / "sequences.tsv").unlink()
    (run.folder / "out" / "embeddings.h5").unlink()
    assert "nothing in common with out: prediction_results.txt is in A alone" in not_compared(
        run, "out", "copy")


# --- tables --------------------------------------------------------------------------------------

def test_tolerance(program):
    arguments = write_tables(program, TABLE, TABLE.replace("0.75", "0.7515"))[1:]
    assert compared(program, *arguments, code=1)["datasets"][0]["differing_rows"][0]["id"] == "b"
    compared(program, *arguments, "--rtol", "0.002")
    compared(program, *arguments, "--atol", "0.001")
    compared(program, *arguments, "--rtol", "0", "--atol", "0.00149", code=1)


def test_labels_far_from_the_boundary_come_first(program):
    other = TABLE.replace("a\tvirus", "a\tothers").replace("c\tvirus", "c\tothers")
    written = compared(program, *write_tables(program, TABLE, other)[1:], code=1)
    rows = written["datasets"][0]["differing_rows"]
    assert [(row["id"], row["cause"]) for row in rows] == [("a", "label"),
                                                           ("c", "label-near-boundary")]
    assert written["datasets"][0]["labels"] == {"column": "Prediction", "equal": 1, "differing": 2,
                                                "differing_not_near_boundary": 1}


def test_missing_rows(program):
    rows = TABLE.splitlines(keepends=True)
    fewer = "".join(row for row in rows if not row.startswith("b"))
    written = compared(program, *write_tables(program, TABLE, fewer + "d\tvirus\t0\t1\n")[1:], code=1)
    frames = written["datasets"][0]
    assert (frames["only_a_ids"], frames["only_b_ids"]) == (["b"], ["d"])
    assert frames["same_order"] and frames["differing"] == 0


def test_another_order(program):
    rows = TABLE.splitlines(keepends=True)
    written = compared(program, *write_tables(program, TABLE, rows[0] + "".join(rows[:0:-1]))[1:])
    assert written["verdict"] == "identical"
    assert not written["datasets"][0]["same_order"]


def test_so_many_rows_are_named(program):
    rows = [f"row_{i}\tvirus\t0.{i + 10}\t0.5\n" for i in range(30)]
    arguments = write_tables(program, FRAMES + "".join(rows),
                             FRAMES + "".join(rows).replace("\t0.5", "\t0.6"))[1:]
    for flags, named in (([], 10), (["--show", "0"], 0), (["--show", "25"], 25),
                         (["--show", "99"], 30)):
        frames = compared(program, *arguments, *flags, code=1)["datasets"][0]
        assert len(frames["differing_rows"]) == named
        assert frames["differing"] == 30


def test_nan(program):
    bad = TABLE.replace("0.75", "nan")
    frames = compared(program, *write_tables(program, bad, TABLE)[1:], "--atol", "1e9",
                      code=1)["datasets"][0]
    assert (frames["numbers"]["not_finite"], frames["differing_rows"][0]["cause"]) == (1,
                                                                                       "not-finite")
    result = program(*write_tables(program, bad, bad), code=0)
    assert b"NaN in both          1 values: identical, but not valid results\n" in result.stdout


def test_consensus_of_the_original_has_two_columns(program):
    ours = CONSENSUS + ("synthetic_seq_1_chunk_1\tTrue\t0.1\t0.9\n"
                        "synthetic_seq_2_chunk_1\tTrue\t0.48\t0.52\n")
    (program.folder / "ours.csv").write_text(ours)
    original = ORIGINAL / TABLES[1]
    consensus = compared(program, original, "ours.csv", "--exact")["datasets"][0]
    assert consensus["name"] == "consensus"
    assert consensus["identical"] == 2
    assert consensus["remarks"] == ["columns in B alone, not compared: max_score_0, max_score_1"]
    (program.folder / "ours.csv").write_text(ours.replace("2_chunk_1\tTrue", "2_chunk_1\tFalse"))
    # The distance from the boundary comes from the other table's scores.
    rows = compared(program, original, "ours.csv", code=1)["datasets"][0]["differing_rows"]
    assert [row["cause"] for row in rows] == ["label-near-boundary"]


def test_output_of_the_original(program):
    merged = program.folder / "original" / "x_merged"
    merged.mkdir(parents=True)
    for name in TABLES:
        shutil.copy(ORIGINAL / name, merged)
    written = compared(program, "original", "original")
    assert [d["name"] for d in written["datasets"]] == list(TABLES)


def test_a_table_with_commas(program):
    arguments = write_tables(program, TABLE, TABLE.replace("\t", ",").replace("\n", "\r\n"))[1:]
    assert compared(program, *arguments, "--exact")["verdict"] == "identical"


# --- embeddings ----------------------------------------------------------------------------------

def write_hdf5(path, ids, seed=1, **changes):
    random = numpy.random.default_rng(seed)
    with h5py.File(path, "w") as file:
        file["ids"] = [name.encode() for name in ids]
        for name, width in HDF5.items():
            values = random.standard_normal((len(ids), width), dtype=numpy.float32)
            file[name] = changes.get(name, values)
        return {name: file[name][:] for name in HDF5}


def test_hdf5_in_another_order_and_precision(program):
    ids = [f"frame_{i}" for i in range(2000)]
    values = write_hdf5(program.folder / "a.h5", ids)
    with h5py.File(program.folder / "b.h5", "w") as file:
        file["ids"] = numpy.array(ids[::-1], dtype="S")
        file.create_dataset("esm2", data=values["esm2"][::-1].astype(numpy.float64), chunks=(50, 4),
                            compression="gzip")
        file["dnabert_s"] = values["dnabert_s"][::-1].astype(numpy.float16)
    written = compared(program, "a.h5", "b.h5", "--rtol", "1e-3")
    assert written["remarks"] == ["merged is in A alone"]
    dnabert_s, esm2 = written["datasets"]
    assert esm2["identical"] == 2000 and not esm2["same_order"]
    rounded = values["dnabert_s"].astype(numpy.float16).astype(float)
    apart = abs(values["dnabert_s"].astype(float) - rounded)
    assert dnabert_s["numbers"]["absolute_difference"] == pytest.approx(
        {"max": apart.max(), "mean": apart.mean()}, rel=1e-9)
    row, column = numpy.unravel_index(apart.argmax(), apart.shape)
    assert (dnabert_s["numbers"]["largest"]["id"], dnabert_s["numbers"]["largest"]["column"]) == (
        ids[row], str(column))
    exact = values["dnabert_s"].astype(float)
    cosines = (exact * rounded).sum(1) / (numpy.linalg.norm(exact, axis=1) *
                                          numpy.linalg.norm(rounded, axis=1))
    assert dnabert_s["cosine"]["min"] == pytest.approx(cosines.min(), abs=1e-14)
    assert dnabert_s["cosine"]["mean"] == pytest.approx(cosines.mean(), abs=1e-14)


def write_v2_hdf5(path, ids, values):
    """ESM-2's embeddings as v2's aggregate_shards() writes them."""
    with h5py.File(path, "w") as file:
        file.create_dataset("embeddings", data=values, dtype="float32", chunks=True)
        file.create_dataset("sequence_ids", data=ids, dtype=h5py.special_dtype(vlen=str))


def test_hdf5_of_v2(program):
    ids = [f"frame_{i}" for i in range(300)]
    values = write_hdf5(program.folder / "a.h5", ids)["esm2"]
    write_v2_hdf5(program.folder / "v2.h5", ids[::-1], values[::-1])
    written = compared(program, "v2.h5", "a.h5", "--exact")
    assert [(d["name"], d["identical"]) for d in written["datasets"]] == [("esm2", 300)]
    assert written["remarks"] == ["dnabert_s is in B alone", "merged is in B alone"]
    values[17, 1] += 0.5
    write_v2_hdf5(program.folder / "v2.h5", ids, values)
    esm2 = compared(program, "a.h5", "v2.h5", code=1)["datasets"][0]
    assert esm2["differing_rows"][0]["id"] == "frame_17"


@pytest.mark.parametrize("spoil", ["no embeddings", "other rows", "numbers as ids"])
def test_hdf5_of_v2_that_is_damaged(program, spoil):
    ids, values = ["a", "b"], numpy.ones((2, 4), numpy.float32)
    write_hdf5(program.folder / "a.h5", ids)
    write_v2_hdf5(program.folder / "v2.h5", ids, values)
    with h5py.File(program.folder / "v2.h5", "r+") as file:
        if spoil == "numbers as ids":
            del file["sequence_ids"]
            file["sequence_ids"] = [1, 2]
        else:
            del file["embeddings"]
        if spoil == "other rows":
            file["embeddings"] = values[:1]
    not_compared(program, "a.h5", "v2.h5")


def pt_files(folder, ids, values, name_of="{}.pt".format):
    """The three files of the original, as its program writes them."""
    files = {}
    for name, width in HDF5.items():
        rows = torch.from_numpy(values[name])
        assert rows.shape[1] == width
        if name == "merged":
            files[name] = {"ids": ids, "data": rows}
        elif name == "esm2":
            files[name] = {"proteins": ids, "data": [row.clone() for row in rows]}
        else:
            files[name] = {"nucleotide": ids,
                           "data": [{"label": label, "mean_representation": row.tolist()}
                                    for label, row in zip(ids, rows)]}
        path = folder / name_of(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(files[name], path)


@pytest.mark.parametrize("name", HDF5)
def test_files_of_the_original_and_hdf5(program, name):
    ids = [f"frame_{i}" for i in range(300)]
    pt_files(program.folder, ids, write_hdf5(program.folder / "a.h5", ids))
    written = compared(program, f"{name}.pt", "a.h5", "--exact")
    assert [(d["name"], d["identical"]) for d in written["datasets"]] == [(name, 300)]
    assert len(written["remarks"]) == 2
    with h5py.File(program.folder / "a.h5", "r+") as file:
        file[name][123, 2] = numpy.nan
    row = compared(program, f"{name}.pt", "a.h5", code=1)["datasets"][0]["differing_rows"][0]
    assert (row["id"], row["column"], row["cause"]) == ("frame_123", "2", "not-finite")


def test_as_many_lists_as_the_original_writes(program):
    ids = [f"frame_{i}" for i in range(10_000)]
    values = numpy.random.default_rng(1).standard_normal((10_000, 768), dtype=numpy.float32)
    torch.save({"nucleotide": ids, "data": [{"label": label, "mean_representation": row.tolist()}
                                            for label, row in zip(ids, values)]},
               program.folder / "a.pt")
    assert compared(program, "a.pt", "a.pt")["datasets"][0]["identical"] == 10_000


def test_the_original_and_its_own_merged_file(program):
    for name in ("output_1_ESM.pt", "output_1_DNABERT_S.pt", "output_1_merged.pt"):
        assert compared(program, ORIGINAL / name, ORIGINAL / name)["verdict"] == "identical"
    merged = torch.load(ORIGINAL / "output_1_merged.pt")
    with h5py.File(program.folder / "a.h5", "w") as file:
        file["ids"] = merged["ids"]
        file["dnabert_s"] = merged["data"][:, :768].numpy()
        file["esm2"] = merged["data"][:, 768:].numpy()
    dnabert_s = compared(program, ORIGINAL / "output_1_DNABERT_S.pt", "a.h5")["datasets"][0]
    assert dnabert_s["identical"] == 4 and dnabert_s["same_order"]
    esm2 = compared(program, ORIGINAL / "output_1_ESM.pt", "a.h5")["datasets"][0]
    assert esm2["identical"] == 4 and not esm2["same_order"]


# --- directories with the original's embeddings ---------------------------------------------------

FRAME_IDS = [f"frame_{i}" for i in range(30)]
STAGES = {"dnabert_s": ("nucleotide", "DNABERT_S"), "esm2": ("protein", "ESM"),
          "merged": ("merged", "merged")}


def pt_name(layout, part):
    """The original's file for a dataset's part: in a folder per stage, or all in one folder."""
    return lambda name: layout.format(folder=STAGES[name][0], part=part, model=STAGES[name][1])


PARTED = "x_{folder}/output_{part}_{model}.pt"
IN_ONE = "output_{part}_{model}.pt"


@pytest.fixture
def original_and_ours(program):
    """`original/`, in three parts whose rows are in another order, and `ours/embeddings.h5`."""
    def write(layout):
        (program.folder / "ours").mkdir()
        values = write_hdf5(program.folder / "ours" / "embeddings.h5", FRAME_IDS)
        for part, first in ((2, 0), (9, 10), (10, 20)):  # by number; by name 10 comes first
            rows = range(first + 9, first - 1, -1)
            pt_files(program.folder / "original", [FRAME_IDS[row] for row in rows],
                     {name: numbers[list(rows)] for name, numbers in values.items()},
                     pt_name(layout, part))
    return write


def change_value(file, row, column):
    content = torch.load(file)
    content["data"][row][column] += 0.5
    torch.save(content, file)


@pytest.mark.parametrize("layout", [PARTED, IN_ONE])
def test_parts_of_the_original_and_hdf5(program, original_and_ours, layout):
    original_and_ours(layout)
    for a, b in (("ours", "original"), ("original", "ours"), ("original", "original")):
        written = compared(program, a, b, "--exact")
        assert (written["kind"], written["remarks"]) == ("directory", [])
        assert [(d["name"], d["identical"]) for d in written["datasets"]] == [
            (name, 30) for name in HDF5]
    assert all(d["same_order"] for d in written["datasets"])


def test_a_value_in_a_part(program, original_and_ours):
    original_and_ours(PARTED)
    change_value(program.folder / "original" / "x_protein" / "output_9_ESM.pt", 3, 1)
    written = compared(program, "ours", "original", code=1)
    assert [d["name"] for d in written["datasets"] if not d["equal"]] == ["esm2"]
    (row,) = written["datasets"][1]["differing_rows"]
    # Row 4 of the second part, which holds rows 19 to 10.
    assert [row[key] for key in ("id", "row_a", "row_b", "column")] == ["frame_16", 17, 14, "1"]


def test_a_part_that_is_missing(program, original_and_ours):
    original_and_ours(PARTED)
    (program.folder / "original" / "x_protein" / "output_9_ESM.pt").unlink()
    written = compared(program, "ours", "original", "--show", "99", code=1)
    dnabert_s, esm2, merged = written["datasets"]
    assert dnabert_s["equal"] and merged["equal"] and written["remarks"] == []
    assert esm2["only_a_ids"] == FRAME_IDS[10:20]
    assert (esm2["rows_b"], esm2["only_b"], esm2["differing"]) == (20, 0, 0)


def test_tables_and_embeddings_of_the_original(program):
    written = compared(program, ORIGINAL, ORIGINAL, "--exact")
    assert [d["name"] for d in written["datasets"]] == [*TABLES, *HDF5]
    shutil.copytree(ORIGINAL, program.folder / "original")
    for file in (program.folder / "original").glob("*.pt"):
        file.unlink()
    written = compared(program, ORIGINAL, "original")
    assert [d["name"] for d in written["datasets"]] == list(TABLES)
    assert written["remarks"] == [f"{name} is in A alone" for name in HDF5]


def test_a_dataset_that_one_side_lacks(program, original_and_ours):
    original_and_ours(PARTED)
    shutil.rmtree(program.folder / "original" / "x_nucleotide")
    written = compared(program, "ours", "original")
    assert [d["name"] for d in written["datasets"]] == ["esm2", "merged"]
    assert written["remarks"] == ["dnabert_s is in A alone"]
    compared(program, "ours", "original", "--exact", code=1)


def test_other_pt_files_are_left_alone(program, original_and_ours):
    original_and_ours(PARTED)
    (program.folder / "original" / "model.pt").write_bytes(b"weights")
    (program.folder / "original" / "x_merged" / "output_ESM.pt").write_bytes(b"no part's name")
    (program.folder / "original" / "another").mkdir()
    (program.folder / "original" / "another" / "output_1_ESM.pt").write_bytes(b"no folder of it")
    os.mkfifo(program.folder / "original" / "output_1_ESM.pt")
    written = compared(program, "ours", "original")
    assert written["remarks"] == [".pt files in B without the names of embeddings, not compared: model.pt and 1 more"]
    assert len(written["datasets"]) == 3


def test_embeddings_of_several_runs(program, original_and_ours):
    original_and_ours(PARTED)
    shutil.copytree(program.folder / "original" / "x_protein",
                    program.folder / "original" / "y_protein")
    assert "esm2 from several runs: x_protein/output_2_ESM.pt and y_protein/output_2_ESM.pt" in (
        not_compared(program, "ours", "original"))


@pytest.mark.parametrize("content, said", [
    (b"", "model file ends too early"),
    (b"no ZIP" * 100, "the end of the ZIP is missing"),
    ([1, 2], "as the original's embeddings have"),
    ({"ids": ["a"], "data": torch.zeros(1, 4)}, "the file holds the dataset merged, but its name says esm2"),
    ({"proteins": ["a"], "data": [torch.zeros(5)]}, "esm2 has 5 columns; in earlier files it has 4"),
])
def test_a_damaged_part(program, original_and_ours, content, said):
    original_and_ours(PARTED)
    part = program.folder / "original" / "x_protein" / "output_9_ESM.pt"
    if isinstance(content, bytes):
        part.write_bytes(content)
    else:
        torch.save(content, part)
    for pair in (("ours", "original"), ("original", "ours")):
        refusal = not_compared(program, *pair)
        assert said in refusal and "x_protein/output_9_ESM.pt: " in refusal


def test_a_part_that_is_cut(program, original_and_ours):
    original_and_ours(PARTED)
    part = program.folder / "original" / "x_nucleotide" / "output_10_DNABERT_S.pt"
    whole = part.read_bytes()
    for size in range(0, len(whole), len(whole) // 20):
        part.write_bytes(whole[:size])
        assert "x_nucleotide/output_10_DNABERT_S.pt: " in not_compared(program, "ours", "original")


def test_parts_of_another_width(program, original_and_ours):
    original_and_ours(PARTED)
    write_hdf5(program.folder / "ours" / "embeddings.h5", FRAME_IDS, esm2=numpy.zeros((30, 6), "f4"))
    assert "original: could not compare: dataset esm2 has 4 columns, but 6 in A" in (
        not_compared(program, "ours", "original"))


def test_a_part_without_rows(program, original_and_ours):
    original_and_ours(IN_ONE)
    torch.save({"proteins": [], "data": []}, program.folder / "original" / "output_1_ESM.pt")
    torch.save({"proteins": [], "data": []}, program.folder / "original" / "output_5_ESM.pt")
    assert compared(program, "ours", "original")["verdict"] == "identical"


# --- what cannot be compared ---------------------------------------------------------------------

def test_kinds_that_do_not_match(run):
    frames, consensus = (f"out/a_merged/{name}" for name in TABLES)
    assert "is a table of frames" in not_compared(run, frames, consensus)
    assert "no embeddings" in not_compared(run, frames, "out/embeddings.h5")
    assert "it is not a directory, but out is" in not_compared(run, "out", frames)
    assert "no embeddings" in not_compared(run, ORIGINAL / "output_1_ESM.pt", frames)
    assert "no dataset in common" in not_compared(run, ORIGINAL / "output_1_ESM.pt",
                                                  ORIGINAL / "output_1_merged.pt")
    assert "esm2 has 2560 columns, but 32 in A" in not_compared(run, "out/embeddings.h5",
                                                        ORIGINAL / "output_1_ESM.pt")


@pytest.mark.parametrize("content, said", [
    (b"", "not the header"),
    (b"\0" * 100, "not the header"),
    (TABLE.encode()[:-3], f"b.txt: record 3, byte {LINES[3]}: could not compare: input ends too early"),
    (TABLE.encode() + b"d\tvirus\t0.1\n", f"b.txt: record 4, byte {LINES[4]}: could not compare: input is "
     "not well formed: the row has 3 columns, not 4"),
    (TABLE.replace("0.75", "0.7f").encode(), f"record 2, byte {LINES[2]}: could not compare: input is not "
     'well formed: column score1 is "0.7f", not a number'),
    (TABLE.replace("others", "phage").encode(), 'column Prediction is "phage", not a label'),
    (FRAMES.encode() + b"x" * 200_000, "a row is longer than 131072 bytes"),
    (FRAMES.encode() + b"z\tvirus\t0\t1\n", "no row has the id of a row of"),
])
def test_damaged_tables(program, content, said):
    (program.folder / "a.txt").write_text(TABLE)
    (program.folder / "b.txt").write_bytes(content)
    assert said in not_compared(program, "a.txt", "b.txt")
    assert said.replace("in A", "in B") in not_compared(program, "b.txt", "a.txt")


def test_files_that_are_none(program):
    (program.folder / "a.txt").write_text(TABLE)
    (program.folder / "folder").mkdir()
    assert "absent: could not compare: there is no such" in not_compared(program, "folder", "absent")
    os.mkfifo(program.folder / "pipe")
    assert "absent.txt: could not compare: input not found" in not_compared(program, "a.txt",
                                                                           "absent.txt")
    assert "neither a directory nor a regular file" in not_compared(program, "a.txt", "pipe")


def links_elsewhere(file):
    file["esm2"] = h5py.ExternalLink("good.h5", "/esm2")


def stored_elsewhere(file):
    file.create_dataset("esm2", shape=(1, 1), dtype="f4", external=[("good.h5", 0, 4)])


def of_another_file(file):
    layout = h5py.VirtualLayout(shape=(1, 1), dtype="f4")
    layout[:] = h5py.VirtualSource("good.h5", "esm2", shape=(1, 1))
    file.create_virtual_dataset("esm2", layout)


def by_a_plugin(file):
    """Of Blosc, which HDF5 would load from HDF5_PLUGIN_PATH."""
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    create.set_chunk((1, 4))
    create.set_filter(32001, h5py.h5z.FLAG_OPTIONAL, ())
    space = h5py.h5s.create_simple((1, 4))
    data = h5py.h5d.create(file.id, b"esm2", h5py.h5t.IEEE_F32LE, space, create)
    data.write_direct_chunk((0, 0), bytes(16))


def many_rows(file):
    file.create_dataset("ids", shape=(1 << 40,), dtype=h5py.string_dtype(), chunks=(1024,))
    file.create_dataset("esm2", shape=(1 << 40, 4), dtype="f4", chunks=(1024, 4))


def large_chunks(file):
    file.create_dataset("ids", shape=(100,), dtype=h5py.string_dtype())
    file.create_dataset("esm2", shape=(100, 1 << 20), dtype="f4", chunks=(100, 1 << 20))


@pytest.mark.parametrize("change, said", [
    (lambda file: None, "no dataset ids"),
    (lambda file: file.update({"ids": [b"a"]}), "none of the datasets dnabert_s, esm2 and merged"),
    (lambda file: file.update({"ids": [1]}), "ids is not text"),
    (lambda file: file.update({"ids": [[b"a"]]}), "ids has 2 dimensions; expected 1"),
    (lambda file: file.update({"ids": [b"a"], "esm2": [[1.0], [2.0]]}), "esm2 has the shape [2, 1]; expected a row for each of 1 ids"),
    (lambda file: file.update({"ids": [b"a"], "esm2": [1.0]}), "esm2 has 1 dimensions; expected 2"),
    (lambda file: file.update({"ids": [b"a"], "esm2": [[1]]}), "esm2 does not hold floats"),
    (lambda file: (file.update({"ids": [b"a"]}), links_elsewhere(file)), "no dataset esm2, or only a link to it"),
    (lambda file: (file.update({"ids": [b"a"]}), stored_elsewhere(file)),
     "esm2 is stored in other files: copy it into this file"),
    (lambda file: (file.update({"ids": [b"a"]}), of_another_file(file)),
     "esm2 is stored in other files: copy it into this file"),
    (many_rows, "it claims "),
    (large_chunks, "the HDF5 chunks of dataset esm2 are larger"),
])
def test_hdf5_that_is_something_else(program, change, said):
    write_hdf5(program.folder / "good.h5", ["a"])
    with h5py.File(program.folder / "bad.h5", "w") as file:
        change(file)
    assert said in not_compared(program, "good.h5", "bad.h5")


def test_hdf5_loads_no_plugin(program):
    """A pipe in place of the library: who opens it waits for ever."""
    write_hdf5(program.folder / "good.h5", ["a"])
    with h5py.File(program.folder / "bad.h5", "w") as file:
        file.update({"ids": [b"a"]})
        by_a_plugin(file)
    os.mkfifo(program.folder / "libblosc.so")
    result = program("compare", "good.h5", "bad.h5", code=2,
                     environment={"HDF5_PLUGIN_PATH": str(program.folder)})
    assert "bad.h5: could not compare: " in message(result)


def test_damaged_hdf5(program):
    ids = [f"frame_{i}" for i in range(50)]
    write_hdf5(program.folder / "good.h5", ids)
    whole = (program.folder / "good.h5").read_bytes()
    for size in range(8, len(whole), len(whole) // 20):
        (program.folder / "bad.h5").write_bytes(whole[:size])
        assert "bad.h5: could not compare: input is not well formed" in not_compared(
            program, "good.h5", "bad.h5")


# Some versions of HDF5 crash on this file.
def test_hdf5_that_crashes_its_library(program):
    with h5py.File(program.folder / "good.h5", "w") as file:
        file.create_dataset("ids", data=["frame_0"], dtype=h5py.string_dtype())
        file["esm2"] = [[1.0]]
    whole = (program.folder / "good.h5").read_bytes()
    heap = whole.index(b"GCOL")
    place = struct.pack("<IQI", 7, heap, 1)  # the id's length, heap and number in the heap
    assert whole.count(place) == 1
    lie = struct.pack("<IQI", 7, heap, 0xffffffff)
    (program.folder / "bad.h5").write_bytes(whole.replace(place, lie))
    assert "bad.h5: could not compare: input is not well formed: " in not_compared(
        program, "good.h5", "bad.h5")


class Executed:
    def __reduce__(self):
        return os.mkdir, ("executed",)


@pytest.mark.parametrize("content, said", [
    ({"ids": ["a"], "data": Executed()}, "pickle contains code, not only data"),
    ({"ids": ["a"]}, "as the original's embeddings have"),
    ([1, 2], "as the original's embeddings have"),
    ({"ids": ["a"], "data": torch.zeros(2, 3)}, "data has the shape [2, 3], but the file has 1 ids"),
    ({"ids": ["a"], "data": torch.zeros(3)}, "data has the shape [3], but the file has 1 ids"),
    ({"ids": ["a", "b", "c"], "data": torch.zeros(2, 3).T}, "expected a contiguous tensor of floats"),
    ({"ids": ["a"], "data": torch.zeros(1, 3, dtype=torch.int64)}, "the shape [1, 3] and the type I64"),
    ({"ids": [1], "data": torch.zeros(1, 3)}, "record 1: could not compare: input is not well formed: "
     "the row's id is no text"),
    ({"proteins": ["a", "b"], "data": [torch.zeros(3), torch.zeros(4)]}, "record 2: could not compare"),
    ({"proteins": ["a"], "data": [torch.zeros(3, 1)]}, "does not have one dimension"),
    ({"proteins": ["a", "b"], "data": [torch.zeros(3)]}, "neither a tensor nor a list of 2 rows"),
    ({"nucleotide": ["a"], "data": [{"label": "a"}]}, "the row has no mean_representation"),
    ({"nucleotide": ["a"], "data": [{"label": "a", "mean_representation": [1.0, "x", 2]}]}, "not a number"),
    ({"nucleotide": ["a"], "data": [{"label": "a", "mean_representation": 1.0}]}, "not a list of numbers"),
    ({"ids": ["a"] * 100_000, "data": [[1.0] * 1000] * 100_000}, "the rows up to this one have "),
])
def test_pt_that_is_something_else(program, content, said):
    torch.save(content, program.folder / "bad.pt")
    good = {"nucleotide": ["a"], "data": [{"label": "a", "mean_representation": [1.0, 2.0, 3.0]}]}
    for member in ("ids", "proteins"):
        if isinstance(content, dict) and member in content:
            good = {member: ["a"], "data": torch.zeros(1, 3)}
    torch.save(good, program.folder / "good.pt")
    assert said in not_compared(program, "good.pt", "bad.pt")
    assert not (program.folder / "executed").exists()


def test_damaged_pt(program):
    shutil.copy(ORIGINAL / "output_1_ESM.pt", program.folder / "good.pt")
    whole = bytearray((ORIGINAL / "output_1_ESM.pt").read_bytes())
    (program.folder / "bad.pt").write_bytes(whole[:-100])
    assert "model file ends too early" in not_compared(program, "good.pt", "bad.pt")
    whole[whole.index(b"data/0") + 1000] ^= 1
    (program.folder / "bad.pt").write_bytes(whole)
    assert "model file is damaged: the checksum (CRC-32) of ZIP member" in not_compared(program, "good.pt",
                                                                                        "bad.pt")


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [["--rtol", "x"], ["--nonsense"], ["-o", "absent/x.json"],
                                  ["-c", "absent.yaml"], ["another.txt"]])
def test_no_failure_looks_like_rows_that_differ(program, more):
    result = program(*write_tables(program, TABLE, TABLE), *more)
    assert (result.returncode, result.stdout) == (2, b""), message(result)


def test_quiet_leaves_the_table(program):
    result = program(*write_tables(program, TABLE, TABLE), "-q")
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.endswith(b"\nidentical\n")


def test_ids_are_made_printable(program):
    bad = TABLE.replace("b\tothers", "b\x1b[31m\tothers")
    result = program(*write_tables(program, bad, TABLE), code=1)
    assert b"    b\\x1b[31m\n" in result.stdout and b"\x1b" not in result.stdout


def test_other_weights_differ(with_reads):
    program = with_reads
    for seed in ("0", "1"):
        program.predict("reads.fa", "-p", f"synthetic:{seed}", "-e", "100", "-o", f"out{seed}", "--no-report",
                        "--name", "a", code=0)
    written = compared(program, "out0", "out1", code=1)
    frames = written["datasets"][0]
    ours = [(program.folder / f"out{seed}" / "a_merged" / TABLES[0]).read_text().splitlines()[1:]
            for seed in "01"]
    apart = [abs(float(x.split("\t")[k]) - float(y.split("\t")[k]))
             for x, y in zip(*ours) for k in (2, 3)]
    assert frames["numbers"]["absolute_difference"] == pytest.approx(
        {"max": max(apart), "mean": sum(apart) / len(apart)})
    changed = sum(x.split("\t")[1] != y.split("\t")[1] for x, y in zip(*ours))
    assert frames["labels"]["differing"] == changed

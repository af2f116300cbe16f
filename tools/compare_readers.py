"""How tools/compare_programs.py reads what a run says and leaves. Its lines are equal for two runs
of one build. The VOLATILE tables name everything that is not."""

import fnmatch
import hashlib
import json
import re
import sqlite3
import struct

# A pattern, and the text that replaces it.
VOLATILE_TEXT = [(re.compile(pattern, re.MULTILINE), by) for pattern, by in (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)|\d{8}T\d{6}\.\d+Z", "TIME"),
    (r"(?<= on )\d{4}-\d\d-\d\d(?=: )", "DATE"),
    (r"\bprocess \d+", "process N"),
    (r"(?<=command line: )\S+", "PROGRAM"),
    (r"^build: .*\n|^commit: .*\n", ""),
    (r"(?<=already: it holds )\S+", "FILE"),  # the first that the folder happens to list
    (r"the run computed for [\d.]+ s", "it computed for N s"),
    # predict's last words
    (r"^(virnucpro: )?speed: .*", "speed: N"),
    (r"(?<=device: busy )[\d.]+|(?<=waiting for sequences )[\d.]+|(?<=GPU use )[\d.]+", "N"),
    (r"trace: \d+ events( .*) took .*", r"trace: N events\1 took N"),
    # the tables of profile and tune
    (r"^( +[\d,]+) +[\d,]+ +[\d.]+ % +[\d,]+$", r"\1 N"),
    (r"(?<=the fastest: --token-budget )\d+", "N"),
    (r"^( .*\d) +[\d.]+ +[\d.]+ s$", r"\1 N"),
    (r"[\d.,]+(?= sequences/s)", "N"),
    (r"[\d.]+ samples", "N samples"),
    # pages
    (r"\b(Build|Commit|build|commit)( \| |</dt><dd>)[^|<\n]*", r"\1\2N"),
    (r"slower side is the \w+", "slower side is the SIDE"),
    (r"\S+(?= takes .* of what holds it back)", "STAGE"),
    # metrics
    (r"^(\w+_seconds\S*) .*", r"\1 N"),
)]
# Values in JSON, by the names and indices that lead there, with dots between: types are compared.
VOLATILE_VALUES = re.compile("|".join((
    r"(.*\.)?(build|commit|(\w+_)?seconds|\w+_per_second|virnucpro_rate)",
    r"(.*\.)?(share|(busy|starved|device_busy)_share)",
    r"(.*\.)?(peak_rss|read|written|cgroup_memory_peak)_bytes",
    r"time|queue|queue_state|worker|waiting|to_device|esm2|dnabert_s|classifier|to_host|journal",
    r"(.*\.)?(workers\.\d+\.(batches|frames|esm_tokens)|(waits|plots)\.queue\..*)",
    r"(.*\.)?(verdicts\.\d+\.value|seconds_by_stage\.\d+\.value)",
    r"metrics\.\d+\.(median|\w+_quartile|repeats)|performance\..*|cells\.\d+\.relative",
    r"rows\.\d+\.(spread|batches|rates\.\d+)|recommended_token_budget")))
# Names of whole trees in JSON whose sizes and types differ, too.
VOLATILE_TREES = re.compile("|".join((
    r"throughput\.over_time|host\.phases\.\d+\.(cpu_percent|rss_bytes)|(.*\.)?bottlenecks",
    r"sections\.devices\.tables\.measured|sections\.\w+\.plots\.\w+\.\d+\.[xy]")))
# On a report's pages: figures with their unit, plots; and rows whose every number differs.
VOLATILE_FIGURES = re.compile("|".join((
    r"(?<![\w.])-?\d[\d.,]*(e[-+]?\d+)? ([nµm]?s|min|h|%|[kMG]?B|/s|\w+/s)(?!\w)",
    r' data-value="[^"]*"',
    r"(?s:<svg.*?</svg>)", "[▁-█]+")))
VOLATILE_ROW = re.compile(r"^(\| |<tr><td>)(cpu|worker \d+|starved|normal|full|esm2) ?[|<]"
                          r"|a second \|")
# Rows that are not always there: bottlenecks of a run, and samples of the monitor.
FLEETING_ROW = re.compile(r"\b(compute|host|launch|I/O)-bound\b|^(\| |<tr><td>)host\b")
NUMBER = re.compile(r"(?<!\w)-?\d[\d.,]*(e[-+]?\d+)?")


def masked(text):
    for pattern, by in VOLATILE_TEXT:
        text = pattern.sub(by, text)
    return text


def words_of(text):
    """Returns the lines without their numbers and without the space that these took."""
    return [re.sub(" +", " ", NUMBER.sub("N", line)) for line in masked(text).splitlines()]


def bytes_line(data):
    return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"


def text_lines(data):
    try:
        return masked(data.decode()).splitlines()
    except UnicodeDecodeError:
        return [bytes_line(data)]


def report_lines(data):
    lines = VOLATILE_FIGURES.sub("N", masked(data.decode())).splitlines()
    return [NUMBER.sub("N", line) if VOLATILE_ROW.search(line) else line
            for line in lines if not FLEETING_ROW.search(line)]


def page_lines(data):
    """Reads pages on which nearly every figure is measured."""
    return words_of(VOLATILE_FIGURES.sub("N", data.decode()))


def leaves(value, path=""):
    """Yields a line for each value: its place in the JSON, and the value."""
    if VOLATILE_TREES.fullmatch(path):
        yield f"{path} = …"
    elif isinstance(value, (dict, list)) and value:
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{path}.{name}".lstrip("."))
    elif VOLATILE_VALUES.fullmatch(path):
        yield f"{path} = <{type(value).__name__}>"
    else:
        yield f"{path} = {masked(json.dumps(value, ensure_ascii=False))}"


def json_lines(data):
    return list(leaves(json.loads(data)))


def batch_lines(data):
    """Sorts the batches, as those of several workers come in any order."""
    batches = sorted(map(json.loads, data.splitlines()), key=lambda batch: batch["batch"])
    return [f"batch {batch['batch']}: {leaf}" for batch in batches for leaf in leaves(batch)]


def columns(data):
    """Returns only the columns of a table with commas, as the number of rows differs."""
    return data.decode().partition("\n")[0].split(",")


def dataset_names(data):
    """Reads the names in HDF5 from its heaps: without the library nothing else can be read."""
    names = set()
    for heap in re.finditer(rb"HEAP\0\0\0\0", data):
        size, _, place = struct.unpack_from("<QQQ", data, heap.end())
        names |= set(re.findall(rb"(?<=\0)[a-z]\w+(?=\0)", data[place:place + size]))
    return sorted(name.decode() for name in names)


def trace_lines(data):
    """Returns only the names of the events, as their number differs."""
    return sorted({f"{event['ph']} {event['name']}" for event in json.loads(data)["traceEvents"]})


def journal_lines(path):
    """Returns all rows. Opens the journal as immutable: otherwise SQLite leaves files beside it."""
    database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    lines = []
    for table, schema in database.execute("SELECT name, sql FROM sqlite_master").fetchall():
        lines.append(schema or table)
        for row in database.execute(f"SELECT * FROM {table}") if schema else ():
            cells = (bytes_line(cell) if isinstance(cell, bytes) else repr(cell) for cell in row)
            lines.append(f"{table}: {', '.join(cells)}")
    database.close()
    return lines


# Patterns of file names, with a kind and a reader. The first pattern that fits counts.
FILES = (
    ("*/run.db", "journal", None),
    ("*/logs/gpu_metrics_*.log", "telemetry", columns),
    ("*/telemetry_*.jsonl", "telemetry", batch_lines),
    ("*/telemetry_*.json", "telemetry", json_lines),
    ("*/telemetry_*.h5", "telemetry", dataset_names),
    ("*.prom", "telemetry", text_lines),
    ("trace.json", "telemetry", trace_lines),
    ("*/report.html", "reports", report_lines),
    ("*/report.md", "reports", report_lines),
    ("*/*_merged/*", "tables", text_lines),
    ("*/sequences.tsv", "tables", text_lines),
    ("*/failed_inputs.txt", "tables", text_lines),
    ("*.json", "JSON", json_lines),
    ("*.log", "logs", text_lines),
    ("*.md", "pages", page_lines),
    ("*.html", "pages", page_lines),
    ("*", "other files", text_lines),
)


def read_file(path, name):
    kind, reader = next(entry[1:] for entry in FILES if fnmatch.fnmatch(name, entry[0]))
    return kind, reader(path.read_bytes()) if reader else journal_lines(path)

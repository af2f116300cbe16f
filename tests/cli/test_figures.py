"""A figure on a page is a link to its results file; the link's title says which figure it is there:

    [1.13](bench/results/nvidia-h100-predict.json "ratio of predict, fp16") times

The title is the figure's name (of a report of `benchmark` the verdict's id), for its value. Other numbers:

    ratio of NAME                       another member of it, or one of its settings
    frames / sequences of NAME          one over another
    V1-SPEED in fp32                    what the verdict's detail says of fp32
    /rows/esm2=trained 8M/seconds/0     of any file: members and indices; MEMBER=VALUE chooses a row.
                                        A list of numbers stands for its median
    % of /calls/3/share                 in another unit: %, MB, MiB, of shares and bytes

A link may also be [1.14][name], with file and title below."""

import functools
import json
import re
import statistics
import sys

import pytest
from conftest import SOURCE

PAGES = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md")])
FIGURE = re.compile(r'\[([^]]+)\]\(([^) ]+\.json) "([^"]+)"\)')
BY_NAME = re.compile(r"\[([^]]+)\]\[(\w+)\]")
DEFINITION = re.compile(r'(?m)^\[(\w+)\]: (\S+\.json) "([^"]+)"$')
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
UNITS = {"%": 0.01, "MB": 1e6, "MiB": 2**20}
# Names with digits that are no figures.
NAMES = re.compile(r"fp\d+|bf16|int8|ESM-2|H\d00|PERF-\d+")


def read(page):
    """The text, with each figure's file beside it."""
    text = re.sub(r"`[^`\n]*`", "", page.read_text())  # no links in code
    files = {name: f'({file} "{title}")' for name, file, title in DEFINITION.findall(text)}
    return BY_NAME.sub(lambda link: f"[{link[1]}]{files[link[2]]}", DEFINITION.sub("", text))


def chosen(rows, step_of_path):
    """Where a step leads: a member, an index, or the only row with a member of this value."""
    member, is_row, value = step_of_path.partition("=")
    if not is_row:
        return rows[int(member) if isinstance(rows, list) else member]
    found = [row for row in rows if str(row.get(member)) == value]
    assert len(found) == 1, f"{len(found)} rows are {step_of_path}"
    return found[0]


def member_of(row, name):
    return row[name] if name in row else row["settings"][name]


def row_of(report, name):
    rows = report.get("verdicts", report.get("figures"))
    found = [row for row in rows if name in (row.get("id"), row["name"])]
    assert len(found) == 1, f"there are {len(found)} figures {name}"
    return found[0]


def is_named(report, title):
    return any(title == row["name"] for row in report.get("figures", []))


def number_in(path, title):
    report = json.loads(path.read_text())
    unit, _, rest = title.partition(" of ")
    return number_of(report, rest) / UNITS[unit] if unit in UNITS else number_of(report, title)


def number_of(report, title):
    in_detail = re.fullmatch(r"([-A-Z\d]+) in (\w+)", title)
    member = re.fullmatch(r"(\w+)(?: / (\w+))? of (.+)", title)
    if title.startswith("/"):
        found = functools.reduce(chosen, title[1:].split("/"), report)
        return statistics.median(found) if isinstance(found, list) else found
    if in_detail:
        detail = row_of(report, in_detail[1])["detail"]
        return float(re.search(rf"([\d.]+) x in {in_detail[2]}", detail)[1])
    if member and not is_named(report, title):
        row = row_of(report, member[3])
        return member_of(row, member[1]) / (member_of(row, member[2]) if member[2] else 1)
    return row_of(report, title)["value"]


def step(shown):
    """What the last digit of a number stands for. Zeros at the end of thousands are no digits."""
    digits = shown.replace(",", "").lstrip("-")
    if "." in digits:
        return 10.0 ** -len(digits.partition(".")[2])
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** max(0, min(zeros, len(digits) - 3))


def is_rounded(shown, number):
    return abs(float(shown.replace(",", "")) - number) <= step(shown) / 2 * (1 + 1e-9)


@pytest.mark.parametrize("shown, number, right", [
    ("1.14", 1.1394, True), ("1.14", 1.146, False), ("1.14", 1.13, False), ("104,000", 104051, True),
    ("104,000", 104600, False), ("100,000", 99910, True), ("100,000", 101000, False),
    ("22,200", 22221, True), ("22,200", 22260, False), ("50", 50.3, True), ("50", 51, False),
    ("0.0000023", 2.32e-6, True), ("0.0000023", 2.4e-6, False), ("-1.1", -1.11, True), ("-1.1", 1.11, False)])
def test_a_figure_is_rounded_as_shown(shown, number, right):
    assert is_rounded(shown, number) == right


RECORD = {"figures": [{"name": "a, fp16", "value": 2, "ratio": 3, "settings": {"frames": 6, "sequences": 4}},
                      {"name": "memory of b", "value": 4, "ratio": None}],
          "rows": [{"esm2": "8M", "seconds": [7, 9, 8]}, {"esm2": "3B", "seconds": [10]}]}
REPORT = {"verdicts": [{"id": "V1-SPEED", "name": "speed", "value": 15, "detail": "in fp16; 2.15 x in fp32, as …"}]}


@pytest.mark.parametrize("record, title, number", [
    (RECORD, "a, fp16", 2), (RECORD, "ratio of a, fp16", 3), (RECORD, "memory of b", 4),
    (RECORD, "frames of a, fp16", 6), (RECORD, "frames / sequences of a, fp16", 1.5),
    (RECORD, "/rows/esm2=8M/seconds", 8), (RECORD, "/rows/1/seconds/0", 10),
    (RECORD, "% of /rows/1/seconds", 1000), (RECORD, "MB of frames of a, fp16", 6e-6),
    (REPORT, "V1-SPEED", 15), (REPORT, "V1-SPEED in fp32", 2.15)])
def test_a_figure_is_found_by_its_title(tmp_path, record, title, number):
    (tmp_path / "x.json").write_text(json.dumps(record))
    assert number_in(tmp_path / "x.json", title) == number


@pytest.mark.parametrize("title, message", [
    ("c", "there are 0 figures c"), ("/rows/esm2=650M/seconds", "0 rows are esm2=650M")])
def test_a_figure_that_is_not_there_is_told(tmp_path, title, message):
    (tmp_path / "x.json").write_text(json.dumps(RECORD))
    with pytest.raises(AssertionError, match=message):
        number_in(tmp_path / "x.json", title)


def fell_short(report, title):
    """Whether the figure that the title names, or the same alone, did not reach its goal."""
    names = {title, title.partition(" of ")[2], title.partition(" in ")[0]}
    return any(row.get("met") is False or row.get("status") in ("WARN", "MISS")
               for row in report.get("verdicts", report.get("figures", []))
               if names & {row.get("id"), row["name"], row["name"].removesuffix(", alone")})


def passages(text):
    """Rows of tables, and paragraphs."""
    for paragraph in re.split(r"\n\s*\n", text):
        yield from paragraph.splitlines() if paragraph.lstrip().startswith("|") else [paragraph]


def untold(page):
    for passage in passages(read(page)):
        for shown, file, title in FIGURE.findall(passage):
            report = json.loads((page.parent / file).read_text())
            if fell_short(report, title) and not re.search("missed|MISS|warning", passage):
                yield f"{shown}, {title}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_a_figure_below_its_goal_is_told_to_be(page):
    assert not list(untold(page))


@pytest.mark.parametrize("row, words, told", [
    ({"name": "a", "met": False}, "slow", False), ({"name": "a", "met": False}, "**missed**", True),
    ({"name": "a, alone", "met": False}, "slow", False), ({"name": "a", "met": True}, "slow", True),
    ({"id": "A", "name": "a", "status": "WARN"}, "slow", False)])
def test_what_is_not_told_is_found(tmp_path, row, words, told):
    (tmp_path / "x.json").write_text(json.dumps({"verdicts": [row]}))
    page = tmp_path / "page.md"
    page.write_text(f'| missed | [1](x.json "b") |\n\n| {words} | [1](x.json "{row.get("id", "a")}") |\n')
    assert (not list(untold(page))) == told


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_figures_are_those_of_their_files(page):
    for shown, file, title in FIGURE.findall(read(page)):
        number = number_in(page.parent / file, title)
        assert NUMBER.fullmatch(shown), f"[{shown}] is more than a number"
        assert is_rounded(shown, number), f"{shown} is {number} in {file}, {title}"


def figures_of_tables(page):
    """The cells below heads that begin with "figure"."""
    found, columns = [], None
    for line in read(page).splitlines():
        cells = [cell.strip() for cell in line.removesuffix("|").split(" | ")]
        if not line.startswith("|"):
            columns = None
        elif columns is None:
            columns = [i for i, cell in enumerate(cells) if re.match(r"figure\b", cell)]
        elif not line.startswith("|---"):
            found += [cells[i] for i in columns]
    return found


@pytest.mark.parametrize("page, least", [("docs/develop/performance.md", 30),
                                         ("docs/use/precision.md", 9), ("docs/use/scale.md", 15)])
def test_no_number_of_a_table_of_figures_is_without_its_file(page, least):
    cells = figures_of_tables(SOURCE / page)
    assert sum(len(FIGURE.findall(cell)) for cell in cells) >= least
    for cell in cells:
        words = NAMES.sub("", FIGURE.sub("", cell))
        # A goal is no measurement, and neither is the size of a batch.
        words = re.sub(r"goal of [\d.,]+|batches of [\d,]+|[\d,]+ cores", "", words)
        assert not re.search(r"\d", words), f"a number without a file: {cell}"


OPERAND = r"10⁹|\d[\d,]*(?:\.\d+)?"
EQUATION = re.compile(rf"((?:{OPERAND})(?: [×÷] (?:{OPERAND}))+) = ({OPERAND})")
# Of scale.md: reads, GB of models, bytes a read, tokens a frame, shards, hours of a job, seconds and minutes.
GIVEN = {"10⁹", "12", "60", "52", "168", "64", "10", "2", "1,000", "3,600", "6,000,000"}


def value_of(operand):
    return 1e9 if operand == "10⁹" else float(operand.replace(",", ""))


def computed(arithmetic):
    first, *rest = arithmetic.split(" ")
    number = value_of(first)
    for sign, operand in zip(rest[::2], rest[1::2]):
        number = number * value_of(operand) if sign == "×" else number / value_of(operand)
    return number


def test_what_scale_computes_follows_from_its_figures():
    page = SOURCE / "docs" / "use" / "scale.md"
    known = GIVEN | {shown for shown, _, _ in FIGURE.findall(read(page))}
    equations = EQUATION.findall(page.read_text())
    assert len(equations) == page.read_text().count(" = ") - 2 == 15  # two are of words
    for arithmetic, result in equations:
        assert set(arithmetic.split(" ")[::2]) <= known, f"{arithmetic}: not of a figure of the page"
        assert is_rounded(result, computed(arithmetic)), f"{arithmetic} is {computed(arithmetic)}"
        known.add(result)


def test_tables_are_those_of_the_results():
    """What bench/render.py would write."""
    sys.path.append(str(SOURCE / "bench"))
    import render  # pylint: disable=import-outside-toplevel
    for page, text in render.pages().items():
        assert page.read_text() == text, f"{page.name}: run bench/render.py"


def test_what_was_computed_is_not_listed_as_measured():
    rows = [line for line in (SOURCE / "bench" / "results" / "README.md").read_text().splitlines()
            if line.startswith("|") and re.search("reads of .*one frame each|H200 computes them", line)]
    assert len(rows) >= 5
    for row in rows:
        assert "projected" in [cell.strip() for cell in row.split("|")], row


def test_older_reports_judged_by_what_is_our_own_bar():
    sys.path.append(str(SOURCE / "bench"))
    import render  # pylint: disable=import-outside-toplevel
    for bar, shown in (("equal labels, atol 0.001 + rtol 0.001", "EQUIV-VANILLA"),
                       ("equal labels, atol 1e-4 + rtol 1e-3", "EQUIV-VANILLA-OWN")):
        assert render.requirement({"id": "EQUIV-VANILLA", "bar": bar}) == shown
    own = {"id": "EQUIV-VANILLA-OWN", "bar": "equal labels, atol 0.0001 + rtol 0.001"}
    assert render.requirement(own) == "EQUIV-VANILLA-OWN"
    assert render.requirement({"id": "PERF-01", "bar": "< 9"}) == "PERF-01"


def test_all_tables_of_int8_are_those_of_the_results():
    page = (SOURCE / "docs" / "develop" / "int8.md").read_text()
    text, tables = re.subn(r"(?s)<!-- bench/render\.py .*?<!-- until here -->", "", page)
    assert tables == 5 and not re.search(r"(?m)^\|", text)

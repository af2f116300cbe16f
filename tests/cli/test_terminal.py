"""A run's output on a terminal: tmux is the terminal and tells what is on its screen."""

import os
import re
import signal
import subprocess
import time
import uuid

import pytest
from conftest import BIN, MODELS
from lengths import by_length

BAR = re.compile(r"^\[=*>? *\] +\d+\.\d %", re.MULTILINE)
PLAIN_LINE = re.compile(r"^virnucpro: 0:00:\d\d · .* sequences", re.MULTILINE)
PROMPT = "virnucpro-test$"


class Screen:
    """A shell on its own terminal."""

    def __init__(self, program, columns=80, rows=24, term="tmux-256color"):
        self.tmux = ["tmux", "-L", f"virnucpro-{uuid.uuid4()}", "-f", "/dev/null"]
        environment = {**program.environment, "PS1": PROMPT, "LC_ALL": "C.UTF-8"}
        subprocess.run([*self.tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows),
                        "-c", program.folder, "env", f"TERM={term}", "sh"],
                       env=environment, check=True, timeout=30)
        self.wait_for(lambda text: PROMPT in text)

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False, timeout=30)

    def type(self, command):
        self.ask("send-keys", command, "Enter")

    def ask(self, *arguments):
        return subprocess.run([*self.tmux, *arguments], check=True, timeout=30,
                              capture_output=True).stdout.decode()

    def text(self, history=False):
        """The text on the screen; with `history`, also what has scrolled away."""
        return self.ask("capture-pane", "-p", *(["-S", "-"] if history else []))

    def resize(self, columns, rows=24):
        # tmux reports a second resize within 250 ms only after that time. Until then lines would be
        # drawn for the wrong width, and stay.
        time.sleep(0.3)
        self.ask("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_for(self, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while not condition(text := self.text()):
            assert time.monotonic() < deadline, text
            time.sleep(0.05)
        return text


@pytest.fixture
def screens(program):
    opened = []

    def open_one(**options):
        opened.append(Screen(program, **options))
        return opened[-1]

    yield open_one
    for screen in opened:
        screen.close()


def write_reads(program, count):
    """Reads of which every chunk has six frames."""
    read = "ACGGCAACCGACAGG" * 20
    (program.folder / "reads.fa").write_text(
        "".join(f">r{i}\n{read[i % 15:]}{'ACC' * (i % 40)}{'C' * (i % 101)}\n"
                for i in range(count)))
    (program.folder / "c.yaml").write_text("progress: {update_interval: 0.1}\n")


def predict(*arguments):
    return " ".join([BIN, "-c", "c.yaml", "predict", "reads.fa", *MODELS, "-e", "300",
                     "--cpu-workers", "2", "--token-budget", "2000", *arguments])


def is_live(text):
    return BAR.search(text) is not None and "worker 1 · " in text


def live_lines(text):
    """From the bar on, or from the share if a bar has no room; none between drawings."""
    lines = text.rstrip("\n").splitlines()
    starts = (i for i, line in enumerate(lines) if re.match(r"(\[[=> ]*\] )?\d+\.\d %", line))
    return lines[next(starts, len(lines)):]


def fits(text, columns):
    """Whether the block was drawn for a window of this width."""
    lines = live_lines(text)
    if not lines or columns == 20:  # no room for a bar
        return lines and not lines[0].startswith("[")
    bar = re.match(r"\[[=> ]*\]", lines[0])
    return bar and "worker 1 · " in text and (
        len(bar[0]) == 80 if columns > 110 else len(lines[0]) == columns - 1)


def is_over(text):
    return text.rstrip("\n").endswith(PROMPT)


def follow(screen, *sizes):
    """Resizes to each size and waits until the block fits."""
    for columns, rows in sizes:
        screen.resize(columns, rows)
        lines = live_lines(screen.wait_for(lambda text: fits(text, columns)))
        assert len(lines) <= rows
        assert all(len(line) < columns for line in lines)
        assert any(re.search(r"of ~?[\d,]+ sequences", line) for line in lines) or columns == 20


def start_live(program, screens):
    write_reads(program, 60_000)
    screen = screens()
    screen.type(predict("-o", "out", "-v"))
    assert len(live_lines(screen.wait_for(is_live))[0]) == 79
    return screen


def test_a_block_that_follows_the_window(program, screens):
    screen = start_live(program, screens)
    follow(screen, (40, 24), (120, 24), (80, 24))
    # Messages logged meanwhile appear above the block, complete.
    worker = re.search(r"worker 0 \(cpu\) is process (\d+)", screen.text(history=True))
    os.kill(int(worker[1]), signal.SIGKILL)
    screen.wait_for(lambda text: "worker 0 " in text.split("[=")[0] and is_live(text))
    # Only the last drawing is left.
    everything = screen.text(history=True)
    assert len(BAR.findall(everything)) == 1
    assert everything.count("worker 1 · ") == 1
    assert len(re.findall(r"of ~?[\d,]+ sequences", everything)) == 1
    screen.ask("send-keys", "C-c")
    assert "--resume" in screen.wait_for(is_over)
    assert not is_live(screen.text(history=True))


def test_a_block_in_a_window_that_is_too_small(program, screens):
    """Lines without room between two drawings go to the history, out of the program's reach."""
    screen = start_live(program, screens)
    follow(screen, (120, 10), (120, 4), (20, 24), (80, 24))
    screen.ask("send-keys", "C-c")
    assert "--resume" in screen.wait_for(is_over)


def run_on(screens, program, *arguments, is_live=is_live, **options):
    """The screen while such a run is live, and after it."""
    write_reads(program, 1000)
    (program.folder / "c.yaml").write_text("progress: {update_interval: 0.1, bar_width: 20}\n")
    screen = screens(rows=40, **options)
    screen.type(predict(*arguments))
    return screen.wait_for(is_live), screen.wait_for(is_over)


def test_the_block_makes_room_for_the_table(program, screens):
    """Its bar is as wide as the configuration says."""
    live, text = run_on(screens, program, "-o", "out")
    assert re.match(r"\[=*>? *\]", live_lines(live)[0]).end() == 20
    assert "ETA" not in text
    assert "worker 1 · " not in text
    lines = text.splitlines()
    first = lines.index("  sequences             1,000")
    for name in ("virus", "frames", "warnings"):
        assert any(line.startswith(f"  {name} ") for line in lines[first:]), name
    for line in ("tables: out/reads_merged", "report: out/report.html",
                 "log: out/logs/virnucpro.log"):
        assert line in lines[first:]
    for start in ("next: ", "speed: ", "device: "):
        assert any(line.startswith(start) for line in lines[first:]), start


@pytest.mark.parametrize("term", by_length(["dumb"], ["dumb", "no-such-terminal"]))
def test_a_terminal_that_only_writes_on_has_plain_lines(program, screens, term):
    _, text = run_on(screens, program, "-o", "out", term=term, is_live=PLAIN_LINE.search)
    assert "[=" not in text
    assert "tables: out/reads_merged" in text


def test_stdout_has_the_table_alone(program, screens):
    run_on(screens, program, "-o", "-", "> frames.tsv")
    table = (program.folder / "frames.tsv").read_bytes()
    assert table.startswith(b"Sequence_ID\t")
    assert b"\x1b" not in table
    assert b" sequences" not in table


def test_plain_lines_where_stderr_is_no_terminal(program, screens):
    run_on(screens, program, "-o", "out", "2> errors", is_live=lambda text: text.count(PROMPT) == 2)
    errors = (program.folder / "errors").read_text()
    assert PLAIN_LINE.search(errors)
    assert "\x1b" not in errors
    assert "\r" not in errors


def test_what_keeps_nothing_is_not_to_be_resumed(program, screens):
    write_reads(program, 60_000)
    screen = screens()
    screen.type(predict("-o", "-", "> frames.tsv"))
    screen.wait_for(is_live)
    screen.ask("send-keys", "C-c")
    text = screen.wait_for(is_over)
    assert "interrupted" in text
    assert "from the beginning" in text
    assert "--resume" not in text

"""Pages that everyone can read: with a keyboard, a screen reader, on a phone, in the dark, on paper."""

import pytest
from browser import assert_readable, complaints, look_at, sheets
from conftest import SHORT, Program, fasta, pieces

STOPS = "TAATTAATTAAC" * 40  # no frame of it is free of stop codons
NAME = "<b>name</b>_\u202eof|several`marks`_and_of_many_letters_" * 3
ROLLED = ["--rule", "viral-ngs", *SHORT]


@pytest.fixture(scope="module")
def contigs(genome):
    """Whole and with gaps, one of many chunks, and what has no score."""
    return {"whole": genome[:3000], "gap": genome[3000:5000] + STOPS + genome[6000:8000],
            NAME: genome[9000:10000], "all": genome, "stops": STOPS, "empty": "",
            **pieces(genome)}


def predict(program, *arguments, code=0):
    program.predict(*arguments, "-o", "out", code=code)
    return program.folder / "out" / "report.html"


@pytest.fixture(scope="module")
def page_of_contigs(tmp_path_factory, contigs):
    program = Program(tmp_path_factory.mktemp("contigs"))
    (program.folder / "contigs.fa").write_text(fasta(contigs))
    return predict(program, "contigs.fa", *ROLLED).read_text()


@pytest.fixture
def contigs_page(tmp_path, page_of_contigs):
    (tmp_path / "report.html").write_text(page_of_contigs)
    return tmp_path / "report.html"


def reads_page(program, contigs):
    reads = {f"read_{k}": contigs["all"][150 * k:150 * (k + 1)] for k in range(60)}
    (program.folder / "reads.fa").write_text(fasta(reads))
    return predict(program, "reads.fa", "-e", "150", "--no-progress")


def empty_page(program, _):
    (program.folder / "none.fa").touch()
    return predict(program, "none.fa", *ROLLED)


def failed_page(program, contigs):
    (program.folder / "stops.fa").write_text(fasta({"stops": contigs["stops"], "empty": ""}))
    (program.folder / "cut.fa").write_bytes(b">c\nACGTACGTACGTACGT\n>cut\nAC\0")
    return predict(program, "stops.fa", "cut.fa", *ROLLED, code=2)


def test_a_page_of_contigs_is_readable(contigs_page):
    assert_readable(contigs_page)


@pytest.mark.parametrize("make", [reads_page, empty_page, failed_page])
def test_a_page_of_a_run_is_readable(program, contigs, make):
    assert_readable(make(program, contigs))


def test_what_is_wrong_with_a_page_is_told(contigs_page):
    text = contigs_page.read_text()
    for old, new in (("--soft: #5d6570", "--soft: #c0c4ca"), ('<html lang="en">', "<html>"),
                     (' tabindex="0"', ""), ("</h2>", "</h2><h1>Top hits</h1>"),
                     ("</main>", '<div style="width: 2000px">wide</div></main>'),
                     ("</main>", '<p style="overflow: hidden; width: 50px; white-space: nowrap">'
                                 "a long line</p></main>")):
        assert old in text
        text = text.replace(old, new)
    contigs_page.write_text(text)
    told = "\n".join(complaints(look_at(contigs_page, 390, False)))
    for complaint in ("color-contrast: ", "html-has-lang: ", "it needs 2", "heading twice: Top hits",
                      "levels of headings: ", 'keys: <div class="table', "keys: <p style="):
        assert complaint in told


def test_all_of_it_is_printed(contigs_page):
    page, text = contigs_page, contigs_page.read_text()
    printed = sheets(page)
    page.write_text(text.replace("<details>", "<details hidden>"))
    assert sheets(page) < printed
    page.write_text(text[:text.index("<script>")] + text[text.index("</script>"):])  # by style alone
    assert sheets(page) == printed

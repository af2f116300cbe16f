"""Jobs to disturb: difficult sequences in two files; the second is complete or truncated."""

import functools
import gzip
import random

import pytest

pytest.register_assert_rewrite("harness")  # to show the values in its failed assertions

from harness import Job, awkward_records, fasta  # pylint: disable=wrong-import-position

RECORDS = 30  # per file


def awkward_job(folder, kind, **options):
    """`whole`, or `damaged`: then the run is partial, and its second input has no row."""
    source = random.Random(6)
    (folder / "a.fa").write_text(fasta(awkward_records(source, RECORDS)))
    packed = gzip.compress(fasta(awkward_records(source, RECORDS)).encode(), mtime=0)
    if kind == "damaged":
        packed = packed[:len(packed) // 2]
    (folder / "b.fa.gz").write_bytes(packed)
    return Job(folder, ["a.fa", "b.fa.gz"], status=2 if kind == "damaged" else 0, **options)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Such a job after an undisturbed run, made once for all tests."""
    @functools.lru_cache(maxsize=None)
    def run(kind, options):
        job = awkward_job(tmp_path_factory.mktemp("undisturbed"), kind, **dict(options))
        job.make_reference()
        return job
    return run


@pytest.fixture
def awkward(tmp_path, undisturbed):
    """Makes such a job in the test's folder, with the tables it must give."""
    def make(kind="whole", **options):
        job = awkward_job(tmp_path, kind, **options)
        job.take_reference(undisturbed(kind, tuple(options.items())))
        return job
    return make

"""The Hugging Face cache is shared with Python's huggingface_hub: each finds what the other made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub import hf_hub_download, scan_cache_dir, snapshot_download, try_to_load_from_cache

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
import model_hub  # pylint: disable=wrong-import-position

NAME = "dnabert-s"
REPOSITORY = model_hub.REPOSITORIES[NAME]


@pytest.fixture(scope="module")
def hub(program, tmp_path_factory):
    with model_hub.running_hub(program.run, tmp_path_factory.mktemp("hub")) as hub:
        yield hub


@pytest.fixture(scope="module")
def models(hub):
    return hub.models


@pytest.fixture
def download(program, hub, models, tmp_path):
    """Runs `virnucpro download dnabert-s` on an empty cache."""
    table = tmp_path / "models.json"
    table.write_text(model_hub.table(model_hub.row_of(models, NAME)))

    def run(*arguments, **others):
        environment = {**hub.environment, "HF_HUB_CACHE": str(tmp_path / "cache"), **others}
        return program.run("download", NAME, "--manifest", table, *arguments, environment=environment)
    return run


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


WITHOUT_LINKS = {"LD_PRELOAD": os.environ["VIRNUCPRO_IO_SHIM"], "VNP_SHIM_NO_LINKS": "1"}


@pytest.mark.parametrize("others", [{}, WITHOUT_LINKS], ids=["links", "no links"])
def test_huggingface_hub_finds_what_we_fetched(download, models, tmp_path, others):
    download(**others)
    cache = tmp_path / "cache"
    expected = model_hub.files_of(models, NAME)
    found = snapshot_download(REPOSITORY, cache_dir=cache, local_files_only=True)
    assert contents(found) == expected
    for name in expected:
        path = try_to_load_from_cache(REPOSITORY, name, cache_dir=cache)
        assert Path(path).read_bytes() == expected[name]
        assert hf_hub_download(REPOSITORY, name, cache_dir=cache, local_files_only=True) == path


def test_huggingface_hub_sees_a_cache_in_order(download, models, tmp_path):
    download()
    scan = scan_cache_dir(tmp_path / "cache")
    assert scan.warnings == []
    [repository] = scan.repos
    assert repository.repo_id == REPOSITORY
    [revision] = repository.revisions
    assert revision.commit_hash == model_hub.COMMIT and revision.refs == {"main"}
    assert {file.file_name for file in revision.files} == set(model_hub.files_of(models, NAME))


PYTHONS_DOWNLOAD = """
import json, sys
from huggingface_hub import hf_hub_download
repository, cache, *names = sys.argv[1:]
print(json.dumps([hf_hub_download(repository, name, cache_dir=cache) for name in names]))
"""


def test_we_find_what_huggingface_hub_fetched(download, hub, models, tmp_path):
    """It talks to the same hub, so that the cache is one that it makes itself."""
    cache = tmp_path / "cache"
    names = list(model_hub.files_of(models, NAME))
    certificates = {"REQUESTS_CA_BUNDLE": hub.environment["SSL_CERT_FILE"]}
    made = subprocess.run([sys.executable, "-c", PYTHONS_DOWNLOAD, REPOSITORY, cache, *names],
                          env={**os.environ, **hub.environment, **certificates}, check=False,
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert len(json.loads(made.stdout.splitlines()[-1])) == len(names)
    hub.forget_requests()
    assert b"(already there, complete)" in download().stdout
    assert hub.requests() == []
    assert download("--check", HF_HUB_OFFLINE="1").stdout.count(b": whole (") == len(names)


def test_a_cache_in_which_a_file_is_missing_is_completed(download, hub, models, tmp_path):
    download()
    [largest] = [path for path in (tmp_path / "cache").rglob("*.safetensors")]
    os.remove(largest)
    hub.forget_requests()
    download()  # the blob is still there
    assert not [request for request in hub.requests() if request[1] == "GET"]
    assert snapshot_download(REPOSITORY, cache_dir=tmp_path / "cache", local_files_only=True)
    assert largest.exists()

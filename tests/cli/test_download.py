"""virnucpro download, against a hub of the tests' own (model_hub.py): no test leaves this machine."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BIN, SOURCE, Program, fasta, message, pieces
from lengths import by_length
from model_hub import (COMMIT, REPOSITORIES, Answers, FaultyServer, files_of, full_table, git_blob, row_of, running_hub,
                       running_proxy, sha256, share_with, table, tree)
from rights import read_only, without_rights

IO_SHIM = os.environ["VIRNUCPRO_IO_SHIM"]
RUN_SHIM = str(Path(os.environ["VIRNUCPRO_TOOLS"]) / "run_shim.so")
OF_OTHERS = ("HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",
             "HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME", "https_proxy", "http_proxy", "no_proxy",
             "HTTPS_PROXY", "NO_PROXY", "all_proxy", "ALL_PROXY", "SSL_CERT_FILE",
             "VIRNUCPRO_GITHUB_URL", "VIRNUCPRO_FAIR_ESM_URL")
DEFAULT_MODELS = ("dnabert-s", "esm2-3b", "300", "500")
CONTENT = bytes(range(256)) * 2000  # of FaultyServer's file
OTHER = CONTENT[::-1]
KNOWN = {"bytes": len(CONTENT), "sha256": sha256(CONTENT)}
OF_TABLE = ("m", "--manifest", "more.json")
CUT = {1: 100_000}  # the first body ends so early


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("hub"))
    with running_hub(lambda *words: program(*words, code=0), program.folder) as hub:
        yield hub


@pytest.fixture(scope="module")
def models(hub):
    return hub.models


class Home(Program):
    """The program of a user without models, with the hub's table as the installed one."""

    def __init__(self, folder, hub, models):
        super().__init__(folder)
        self.models = models
        for name in OF_OTHERS:
            self.environment.pop(name, None)
        share_with(full_table(models), SOURCE / "share" / "virnucpro", folder / "share")
        self.environment.update(HOME=str(folder), VIRNUCPRO_SHARE=str(folder / "share"), **hub.environment)
        hub.forget_requests()

    @property
    def cache(self):
        return self.folder / ".cache" / "huggingface" / "hub"

    @property
    def own(self):
        return self.folder / ".cache" / "virnucpro" / "models"

    def repository(self, name):
        return self.cache / ("models--" + REPOSITORIES[name].replace("/", "--"))

    def snapshot(self, name):
        repository = self.repository(name)
        return repository / "snapshots" / (repository / "refs" / "main").read_text()

    def has(self, name):
        """Whether all of a model is where predict finds it, and is what was published."""
        expected = files_of(self.models, name)
        if name in REPOSITORIES:
            folder = self.snapshot(name)
            return {path.name: path.read_bytes() for path in folder.iterdir()} == expected
        folder = self.own
        if name == "esm2-3b-fair":
            folder = self.folder / ".cache" / "torch" / "hub" / "checkpoints"
        return all((folder / file).read_bytes() == content for file, content in expected.items())

    def download(self, *arguments, code=0, **options):
        return self("download", *arguments, code=code, **options)

    def predict(self, *arguments, **options):
        (self.folder / "reads.fa").write_text(fasta(pieces("ACGTTGCAAGCTTACG" * 500)))
        return self("predict", "reads.fa", "--no-progress", *arguments, **options)


@pytest.fixture
def home(tmp_path, hub, models):
    return Home(tmp_path, hub, models)


# --- from the hub ---


def test_all_then_predict_without_flags(home):
    result = home.download("all")
    assert [line.split(":")[0] for line in result.stdout.decode().splitlines()] == list(DEFAULT_MODELS)
    assert all(home.has(name) for name in DEFAULT_MODELS)
    assert not (home.folder / ".cache" / "torch").exists()
    for kind in ("300", "500"):
        home.predict("-m", kind, "-o", kind, code=0)
        assert (home.folder / kind / "sequences.tsv").exists()


def test_the_cache_is_laid_out_as_hugging_faces(home, models):
    home.download("dnabert-s")
    repository = home.repository("dnabert-s")
    assert (repository / "refs" / "main").read_text() == COMMIT
    for name, content in files_of(models, "dnabert-s").items():
        link = home.snapshot("dnabert-s") / name
        digest = sha256(content) if len(content) >= 4096 else git_blob(content)
        assert os.readlink(link) == f"../../blobs/{digest}"
        assert (home.cache / ".locks" / repository.name / f"{digest}.lock").exists()
    assert not list(home.folder.rglob("*.incomplete"))


def test_a_second_download_fetches_nothing(home, hub):
    home.download("all")
    hub.forget_requests()
    result = home.download("all")
    assert result.stdout.count(b"(already there, complete)") == 4
    assert hub.requests() == []


def test_a_plain_folder(home):
    home.download("all", "esm2-3b-fair", "--models-dir", "models")
    assert not (home.folder / ".cache").exists()
    names = {path.name for path in (home.folder / "models").iterdir()}
    assert names == {"DNABERT-S", "esm2_t36_3B_UR50D", "esm2_t36_3B_UR50D.pt", "300_model.pth",
                     "500_model.pth", "virnucpro-hashes.json"}
    home.predict("--models-dir", "models", "-o", "out", code=0)
    by_variable = home.download("dnabert-s", environment={"VIRNUCPRO_MODELS": "models"})
    assert b"models/DNABERT-S (already there, complete)" in by_variable.stdout


def test_fair_esms_file_goes_to_torch_hubs_cache(home):
    result = home.download("esm2-3b-fair")
    assert home.has("esm2-3b-fair")
    digest = sha256(files_of(home.models, "esm2-3b-fair")["esm2_t36_3B_UR50D.pt"])
    assert f"has no published SHA-256. The file's SHA-256, {digest}, was recorded in" in message(result)


def test_the_data_come_from_another_host_and_the_token_does_not_go_there(home, hub):
    home.download("dnabert-s", environment={"HF_TOKEN": "hf_secret"})
    by_server = {}
    for port, method, path, _, authorization, _ in hub.requests():
        by_server.setdefault(int(port), set()).add(authorization)
        assert method in ("HEAD", "GET"), path
    assert by_server == {hub.port: {"Bearer hf_secret"}, hub.storage_port: {"-"}}


def test_certificates_are_verified(home):
    result = home.download("500", "--retries", "0", code=1,
                           environment={"SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt"})
    assert "certificate" in message(result).lower()
    missing = home.download("500", code=1, environment={"SSL_CERT_FILE": "absent.pem"})
    assert "SSL_CERT_FILE names absent.pem, which is not there" in message(missing)
    assert "Correct SSL_CERT_FILE, or unset it to use the system's certificates (Debian: apt-get install " \
        "ca-certificates)." in message(missing)
    assert not home.own.exists() or tree(home.own).keys() <= {"500.incomplete/lock"}


BUNDLES = {"Debian": "/etc/ssl/certs/ca-certificates.crt", "RHEL": "/etc/pki/tls/certs/ca-bundle.crt",
           "RHEL 10": "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
           "SUSE": "/etc/ssl/ca-bundle.pem"}


def with_another_etc(home, bundle, *arguments):
    """Runs a download where /etc holds only a file of certificates. Only it sees this."""
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    script = ('mount -t tmpfs tmpfs /etc || exit 99\n'
              'mkdir -p "$(dirname "$0")" && cp "$1" "$0" && shift && exec "$@"\n')
    certificates = home.environment["SSL_CERT_FILE"]
    environment = {name: value for name, value in home.environment.items() if name != "SSL_CERT_FILE"}
    result = subprocess.run(["unshare", "--mount", *root, "sh", "-c", script, bundle, certificates, BIN,
                             "download", *arguments], cwd=home.folder, env=environment,
                            capture_output=True, timeout=60, check=False)
    assert result.returncode != 99, message(result)
    return result


@pytest.mark.parametrize("system", BUNDLES)
def test_the_systems_certificates_are_found(home, system):
    result = with_another_etc(home, BUNDLES[system], "dnabert-s")
    assert result.returncode == 0, message(result)
    assert home.has("dnabert-s")


def test_no_certificates(home):
    for model in ("dnabert-s", "500"):
        result = with_another_etc(home, "/etc/others.pem", model)
        assert result.returncode == 1
        for bundle in BUNDLES.values():
            assert bundle in message(result)
        assert "Install certificates, or set SSL_CERT_FILE to a file with certificates (Debian: apt-get install " \
            "ca-certificates)." in message(result)


def test_a_proxy_and_hosts_without_it(home, hub, tmp_path):
    with running_proxy(tmp_path) as port:
        proxy = {"https_proxy": f"http://127.0.0.1:{port}"}
        home.download("dnabert-s", environment=proxy)
        log = (tmp_path / "proxy.log").read_text()
        assert f"CONNECT 127.0.0.1:{hub.port}" in log
        assert f"CONNECT localhost:{hub.storage_port}" in log
        home.download("500", environment={**proxy, "no_proxy": "127.0.0.1"})
        assert (tmp_path / "proxy.log").read_text().count(f"CONNECT 127.0.0.1:{hub.port}") == \
            log.count(f"CONNECT 127.0.0.1:{hub.port}")
    assert home.download("300", "--retries", "0", environment=proxy, code=1)  # the proxy is gone


def test_a_proxys_password_is_not_shown(home, faulty):
    result, _ = faulty(Answers(CONTENT), "--retries", "0", code=1,
                       environment={"http_proxy": "http://user:s3cret@127.0.0.1:99999"})
    assert "a file could not be fetched" in message(result) and "s3cret" not in message(result)


def test_a_proxy_for_http_alone(home, hub, tmp_path):
    def asked():
        return re.findall(r"Request .*: (\w+ \S+)", (tmp_path / "proxy.log").read_text())
    plain = f"http://127.0.0.1:{hub.plain_port}"
    with running_proxy(tmp_path) as port:
        proxy = {"http_proxy": f"http://127.0.0.1:{port}", "HF_ENDPOINT": plain,
                 "VIRNUCPRO_GITHUB_URL": f"{plain}/raw"}
        home.download("dnabert-s", "500", environment=proxy)  # large files: from https, without it
        through_proxy = asked()
        assert {line.split()[0] for line in through_proxy} == {"HEAD", "GET"}
        assert all(line.split()[1].startswith(f"{plain}/") for line in through_proxy)
        assert home.has("dnabert-s") and home.has("500")
        assert any(request[0] == str(hub.storage_port) for request in hub.requests())
        home.download("300", environment={**proxy, "no_proxy": "127.0.0.1"})
        assert home.has("300") and asked() == through_proxy
    assert home.download("esm2-3b", "--retries", "0", environment=proxy, code=1)  # the proxy is gone


def test_offline_nothing_is_requested(home, hub):
    offline = {"HF_HUB_OFFLINE": "1"}
    result = home.download("500", environment=offline, code=1)
    assert "HF_HUB_OFFLINE is set, so nothing is downloaded" in message(result)
    home.download("500")
    hub.forget_requests()
    home.download("500", environment=offline)
    assert hub.requests() == []


@pytest.mark.parametrize("name, below", [("HF_HUB_CACHE", ""), ("HF_HOME", "hub"),
                                         ("XDG_CACHE_HOME", "huggingface/hub")])
def test_variables_name_the_cache(home, name, below):
    home.download("dnabert-s", environment={name: str(home.folder / "there")})
    assert (home.folder / "there" / below / home.repository("dnabert-s").name / "refs").is_dir()
    assert not home.cache.exists()


def test_redirects_that_lead_nowhere(home, hub):
    for path, why in (("loop", "more than 10 redirects"), ("to-http", "redirects from https to http:")):
        row = {"name": "m", "source": "url",
               "files": [{"name": "f", "urls": [f"https://127.0.0.1:{hub.port}/{path}"]}]}
        (home.folder / "more.json").write_text(table(row))
        assert why in message(home.download(*OF_TABLE, code=1))


def test_another_file_on_the_hub_is_refused_before_it_is_fetched(home, hub, models):
    row = row_of(models, "dnabert-s")
    row["files"] = [{**file, "sha256": file["sha256"] and "a" * 64} for file in row["files"]]
    (home.folder / "other.json").write_text(table(row))
    result = home.download("dnabert-s", "--manifest", "other.json", code=1)
    assert "it is not the published file: the hub has a file with the SHA-256" in message(result)
    assert not [request for request in hub.requests() if request[1] == "GET"]


@pytest.mark.parametrize("name, why", [("dnabert-s", "its SHA-256 is"), ("500", "its git blob's id is")])
def test_a_file_that_is_damaged_at_its_publishers(home, hub, models, name, why):
    content = max(files_of(models, name).values(), key=len)
    published = hub.folder / "blobs" / sha256(content)
    published.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    try:
        result = home.download(name, code=1)
    finally:
        published.write_bytes(content)
    assert f"it is not the published file: {why}" in message(result)
    assert not (home.own / "500_model.pth").exists()
    assert not (home.repository("dnabert-s") / "refs").exists()
    home.download(name)
    assert home.has(name)


def test_a_cache_on_a_file_system_without_links(home, hub, models):
    """The files lie in the snapshot themselves."""
    home.environment.update(LD_PRELOAD=IO_SHIM, VNP_SHIM_NO_LINKS="1")
    home.download("dnabert-s")
    assert home.has("dnabert-s")
    assert not [path for path in home.cache.rglob("*") if path.is_symlink()]
    assert not list((home.repository("dnabert-s") / "blobs").iterdir())
    hub.forget_requests()
    assert b"(already there, complete)" in home.download("dnabert-s").stdout
    assert hub.requests() == []
    name, content = max(files_of(models, "dnabert-s").items(), key=lambda file: len(file[1]))
    (home.snapshot("dnabert-s") / name).write_bytes(content[:-1])
    home.download("dnabert-s")
    assert home.has("dnabert-s")
    gets = [request[2] for request in hub.requests() if request[1] == "GET"]
    assert gets and all(path.endswith((name, sha256(content))) for path in gets)  # the others are whole
    home.download("--remove", "dnabert-s")
    assert not home.repository("dnabert-s").exists()


def test_a_blob_that_others_use_is_not_moved(home, hub):
    """A link of another revision leads to it, and no new link can be made."""
    home.download("dnabert-s")
    snapshot = home.snapshot("dnabert-s")
    snapshot.rename(snapshot.parent / "another")
    result = home.download("dnabert-s", code=1,
                           environment={"LD_PRELOAD": IO_SHIM, "VNP_SHIM_NO_LINKS": "1"})
    assert "the symbolic link cannot be made: Operation not permitted" in message(result)
    assert all(link.exists() for link in (snapshot.parent / "another").iterdir())


def test_what_huggingface_hub_left_of_a_blob_is_continued(home, hub, models):
    content = max(files_of(models, "dnabert-s").values(), key=len)
    blobs = home.repository("dnabert-s") / "blobs"
    blobs.mkdir(parents=True)
    (blobs / f"{sha256(content)}.incomplete").write_bytes(content[:5000])
    home.download("dnabert-s")
    assert home.has("dnabert-s")
    assert "bytes=5000-" in {request[3] for request in hub.requests()}


def test_no_hub(home, hub):
    result = home.download("dnabert-s", code=1,
                           environment={"HF_ENDPOINT": f"https://127.0.0.1:{hub.port}/raw"})
    assert "the server answered 404" in message(result)


@pytest.mark.parametrize("etag, said", (("abc", "the same ETag: try another mirror"),
                                        ("virnucpro", "the same ETag: try another mirror"),
                                        ("virnucpro.lock", "cannot be a file name")))
def test_a_hub_that_chooses_the_names_of_others(home, etag, said):
    """A blob has its ETag's name, beside locks and parts of other blobs."""
    server = FaultyServer(Answers(CONTENT, etag=f'"{etag}"', commit="0" * 40))
    result = home.download("dnabert-s", "--retries", "0", code=1, environment={"HF_ENDPOINT": server.url})
    server.close()
    assert said in message(result)
    assert not list(home.cache.glob("**/blobs/*"))


def test_an_etag_that_is_the_name_of_the_models_lock(home, hub, models):
    blobs = home.repository("dnabert-s") / "blobs"
    home.download("dnabert-s")
    link = home.snapshot("dnabert-s") / "config.json"
    link.resolve().rename(blobs / "virnucpro")
    link.unlink()
    link.symlink_to("../../blobs/virnucpro")
    home.download("dnabert-s", "--remove", timeout=20)
    assert not blobs.exists()


# --- what goes wrong on the way ---


def offer(home, *servers, **members):
    """Writes a table whose file m/f these servers have, with such members of its row."""
    row = {"name": "m", "source": "url", "files": [
        {"name": "f", "urls": [server.url + "/f" for server in servers], **members}]}
    (home.folder / "more.json").write_text(table(row))


@pytest.fixture
def faulty(home):
    """Downloads the file of a FaultyServer; what it answers is the caller's, and members of the
    file's row. Waiting for the next attempt takes no time."""
    servers = []
    home.environment.update(LD_PRELOAD=RUN_SHIM, RUN_SHIM_HASTE="1")

    def download(answers, *arguments, known=True, row=None, certificate=None, **options):
        servers.append(FaultyServer(answers, certificate))
        hashes = KNOWN if known and row is None else row or {}
        offer(home, *servers, **hashes)
        return home.download(*OF_TABLE, *arguments, **options), servers[-1]
    yield download
    for server in servers:
        server.close()


def whole(home):
    return (home.own / "f").read_bytes() == CONTENT and not list(home.own.glob("*.incomplete"))


def nothing_visible(home):
    return not (home.own / "f").exists()


def test_a_cut_body_goes_on_where_it_ended(home, faulty):
    result, server = faulty(Answers(CONTENT, cut=CUT))
    assert whole(home), message(result)
    assert server.headers[1]["Range"] == "bytes=100000-"
    assert server.headers[1]["If-Range"] == '"one"'


def test_a_later_download_goes_on_where_an_earlier_one_ended(home, faulty):
    faulty(Answers(CONTENT, cut=CUT), "--retries", "0", code=1)
    assert nothing_visible(home)
    _, server = faulty(Answers(CONTENT))
    assert whole(home)


@pytest.mark.parametrize("known, heads", [(True, True), (False, True), (False, False)],
                         ids=["with a hash", "without", "without a size"])
def test_a_changed_etag(home, faulty, known, heads):
    result, server = faulty(Answers(CONTENT, cut=CUT, later_etag='"two"', heads=heads), known=known)
    assert "the file changed on the server" in message(result)
    assert whole(home) and "Range" not in server.headers[-1]


def has(length):
    return f"the server's file has {length} bytes, expected {len(CONTENT)}"


NO_HEAD_LENGTH = Answers(CONTENT, head_length=0)
# The answers, the retries that are allowed, other options, what is said, how often the body is asked for
# (None: that tells nothing), and whether the file is there in the end.
FAULTS = {
    "the whole in place of a part": (Answers(CONTENT, cut=CUT, ranges=False), 5, {},
                                     "the server sends the whole file again", 2, True),
    "another part": (Answers(CONTENT, cut=CUT, content_range=f"bytes 99999-{len(CONTENT) - 1}/{len(CONTENT)}"), 5, {},
                     "the server was asked to send the file from byte 100000 on, but its reply has", None, True),
    "longer": (Answers(CONTENT + b"x"), 5, {}, has(len(CONTENT) + 1), 0, False),
    "shorter": (Answers(CONTENT[:-1]), 5, {}, has(len(CONTENT) - 1), 0, False),
    "a reply that claims more": (Answers(CONTENT, length=len(CONTENT) + 1), 0, {}, has(len(CONTENT) + 1), None, False),
    "a reply that claims less": (Answers(CONTENT, length=len(CONTENT) - 1), 0, {}, has(len(CONTENT) - 1), None, False),
    # That is no size.
    "a head of no bytes": (NO_HEAD_LENGTH, 5, {"row": {}}, "", 1, True),
    "a head of no bytes, a hash": (NO_HEAD_LENGTH, 5, {"row": {"sha256": sha256(CONTENT)}}, "", 1, True),
    "a head of no bytes, a size": (NO_HEAD_LENGTH, 5, {}, "", 1, True),
    "a redirect loop": (Answers(CONTENT, statuses=dict.fromkeys(range(1, 99), 302), location="/f"), 5, {},
                        "more than 10 redirects", 11, False),
    "always busy": (Answers(CONTENT, statuses=dict.fromkeys(range(1, 99), 500)), 1, {},
                    "the server answered 500 (after 2 attempts)", 2, False),
    "not there": (Answers(CONTENT, statuses={1: 404}), 5, {}, "the server answered 404", 1, False),
    # A byte for each connection is no progress; after some, all attempts are there again.
    "bytes": (Answers(CONTENT, cut=dict.fromkeys(range(1, 6), 1)), 1, {}, "(after 2 attempts)", 2, False),
    "progress": (Answers(CONTENT, cut=dict.fromkeys(range(1, 4), 100_000)), 1, {}, "attempt 2 of 2 follows", 4, True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault(home, faulty, fault):
    answers, retries, options, said, gets, is_there = FAULTS[fault]
    result, server = faulty(answers, "--retries", str(retries), code=0 if is_there else 1, **options)
    assert said in message(result) and gets in (None, server.gets)
    assert whole(home) if is_there else nothing_visible(home)


def test_a_part_without_a_hash_goes_on_by_its_etag(home, faulty):
    _, server = faulty(Answers(CONTENT, cut=CUT), "--retries", "0", known=False, code=1)
    home.download(*OF_TABLE)
    assert whole(home)
    assert [server.headers[-1][name] for name in ("Range", "If-Range")] == ["bytes=100000-", '"one"']


@pytest.mark.parametrize("by_mirror", [False, True], ids=["the first", "the next mirror"])
def test_a_part_of_another_server_is_not_continued(home, faulty, by_mirror):
    """Both have the same ETag, and nobody knows a hash."""
    flags = {"known": False, "code": 1}
    _, first = faulty(Answers(OTHER, cut=CUT), "--retries", "0", **flags)
    if by_mirror:  # in one process
        first.answers.cut = {2: 100_000}
        faulty(Answers(CONTENT, cut={1: 300_000}), "--retries", "0", **flags)
        home.download(*OF_TABLE)
        assert (home.own / "f").read_bytes() == OTHER
    else:
        first.close()
        faulty(Answers(CONTENT), "--retries", "0", known=False)
        assert whole(home)


def test_a_part_of_another_hub_is_not_continued(home):
    row = {"name": "m", "source": "hugging-face", "repository": "a/m", "folder": "m",
           "files": [{"name": "f"}]}
    (home.folder / "more.json").write_text(table(row))
    for answers in (Answers(OTHER, cut=CUT), Answers(CONTENT)):
        answers.etag, answers.commit = '"abc"', COMMIT
        server = FaultyServer(answers)
        home.download(*OF_TABLE, "--retries", "0", code=1 if answers.cut else 0,
                      environment={"HF_ENDPOINT": server.url})
        server.close()
    assert (home.cache / "models--a--m" / "snapshots" / COMMIT / "f").read_bytes() == CONTENT


def test_a_version_that_only_the_body_names(home, faulty):
    _, server = faulty(Answers(OTHER, cut=CUT, later_etag='"two"'), "--retries", "0", known=False,
                       code=1)
    server.answers.content = CONTENT
    result = home.download(*OF_TABLE)
    assert "the file changed on the server" in message(result)
    assert whole(home)


def test_a_flipped_byte(home, faulty):
    flipped = CONTENT[:5000] + bytes([CONTENT[5000] ^ 1]) + CONTENT[5001:]
    result, _ = faulty(Answers(flipped), code=1)
    assert f"its SHA-256 is {sha256(flipped)}, expected {sha256(CONTENT)}" in message(result)
    assert nothing_visible(home) and not [path for path in home.own.rglob("f.*")]


def test_a_flipped_byte_in_what_was_left(home, faulty):
    faulty(Answers(CONTENT, cut=CUT), "--retries", "0", code=1)
    [partial] = home.own.glob("m.incomplete/f.*")
    partial.write_bytes(b"\xff" + partial.read_bytes()[1:])
    result, _ = faulty(Answers(CONTENT))
    assert "the part from an earlier download does not match; fetching the whole file" in message(result)
    assert whole(home)


def test_an_empty_body_is_not_the_rest(home, faulty):
    _, server = faulty(Answers(CONTENT, cut=CUT), "--retries", "0", known=False, code=1)
    server.answers = Answers(b"", ranges=False)
    result = home.download(*OF_TABLE)
    assert "the server sends the whole file again" in message(result)
    assert (home.own / "f").read_bytes() == b"" and server.gets == 2


def test_busy_servers_are_asked_again(home, faulty):
    """After that time."""
    del home.environment["LD_PRELOAD"]
    began = time.monotonic()
    result, server = faulty(Answers(CONTENT, statuses={1: 503}))
    assert "the server answered 503; attempt 2 of 6 follows in 1 s" in message(result)
    assert whole(home) and server.gets == 2 and time.monotonic() - began >= 1


LARGER = 70_000_000_000  # bytes, than a file of any kind may have whose size nobody published
JSON_BYTES = 8 << 20


def is_refused_as_too_large(home, result, most):
    said = message(result)
    assert f"it is not the published file: it has more bytes than the limit, {most:,}" in said
    assert 'give its size ("bytes") in a table of your own: --manifest FILE' in said
    return not [path for path in home.own.rglob("f*") if path.is_file()]


@pytest.mark.parametrize("answers, most, gets, options", [
    (Answers(CONTENT, heads=False, lengths=False), 102_000, 1, {"row": {"bytes_about": 100_000}}),
    (Answers(bytes(JSON_BYTES + 100_000), heads=False, lengths=False), JSON_BYTES, 1, {"row": {"name": "f.json"}}),
    (Answers(CONTENT, head_length=LARGER), 64 << 30, 0, {"known": False}),
    (Answers(CONTENT, heads=False, length=LARGER), 64 << 30, 1, {"known": False}),
], ids=["of about a size", "JSON", "size of HEAD", "size of GET"])
def test_a_file_that_is_too_large(home, faulty, answers, most, gets, options):
    """A body without an end, or a size that no file may have."""
    result, server = faulty(answers, "--retries", "0", code=1, **options)
    assert is_refused_as_too_large(home, result, most)
    assert server.gets == gets and (gets or not home.own.exists())


@pytest.mark.parametrize("total", [LARGER, "*"])
def test_a_part_of_a_file_that_is_too_large(home, faulty, total):
    known = {"sha256": sha256(CONTENT)}
    _, server = faulty(Answers(CONTENT, heads=False, cut=CUT), "--retries", "0", row=known, code=1)
    assert [path.stat().st_size for path in home.own.glob("m.incomplete/f.*")] == [100_000]
    server.answers.content_range = f"bytes 100000-{LARGER - 1}/{total}"
    part = home.download(*OF_TABLE, "--retries", "0", code=1)
    assert is_refused_as_too_large(home, part, 64 << 30)
    assert server.headers[-1]["Range"] == "bytes=100000-"


def test_what_was_left_and_is_too_large_is_fetched_anew(home, faulty):
    row = {"name": "f.json", "sha256": sha256(CONTENT)}
    _, server = faulty(Answers(CONTENT, heads=False, cut=CUT), "--retries", "0", row=row, code=1)
    [partial] = home.own.glob("m.incomplete/f.json.*")
    os.truncate(partial, JSON_BYTES + 1)
    home.download(*OF_TABLE)
    assert (home.own / "f.json").read_bytes() == CONTENT
    assert server.gets == 2 and "Range" not in server.headers[-1]


def test_the_next_mirror(home, faulty):
    faulty(Answers(CONTENT, statuses={1: 404}), code=1)
    result, server = faulty(Answers(CONTENT))  # the first server now gives the file
    assert whole(home), message(result)
    assert server.gets == 0


def test_a_mirror_with_another_file_is_left_for_the_next(home, faulty):
    faulty(Answers(OTHER), code=1)
    result, server = faulty(Answers(CONTENT))
    assert "trying the next mirror" in message(result)
    assert whole(home) and server.gets == 1


def test_a_file_without_a_hash_is_held_to_its_first(home, faulty):
    result, _ = faulty(Answers(CONTENT), known=False)
    assert f"The file's SHA-256, {sha256(CONTENT)}, was recorded in" in message(result)
    (home.own / "f").unlink()
    result, _ = faulty(Answers(OTHER), known=False)  # the first mirror still has it
    (home.own / "f").unlink()
    refused, _ = faulty(Answers(OTHER), known=False, code=0)
    assert whole(home), message(refused)
    record = json.loads((home.own / "virnucpro-hashes.json").read_text())
    assert record["files"] == {"m/f": sha256(CONTENT)}


def test_a_first_hash_that_fits_no_more_is_named(home, faulty):
    """And where it is, so that a change that is meant can be taken."""
    record = home.own / "virnucpro-hashes.json"
    advice = (f"expected {sha256(CONTENT)} (the hash of the first download); if the publisher changed the file, "
              f'delete the entry "m/f" in {record}')
    _, server = faulty(Answers(CONTENT), known=False)
    (home.own / "f").write_bytes(OTHER)
    check = home.download(*OF_TABLE, "--check", code=1)
    assert advice in check.stdout.decode()
    (home.own / "f").unlink()
    server.answers.content = OTHER
    assert advice in message(home.download(*OF_TABLE, code=1))
    (home.folder / "f").write_bytes(OTHER)
    carried = home.download(*OF_TABLE, "--from", ".", code=1)
    assert advice in message(carried)
    entries = json.loads(record.read_text())
    entries["files"].pop("m/f")
    record.write_text(json.dumps(entries))
    home.download(*OF_TABLE)
    assert (home.own / "f").read_bytes() == OTHER


def test_another_file_than_the_first(home, faulty):
    faulty(Answers(CONTENT), known=False)
    (home.own / "f").write_bytes(OTHER)
    check = home.download(*OF_TABLE, "--check", code=1)
    assert b"m/f: damaged: its SHA-256 is" in check.stdout
    result = home.download(*OF_TABLE, code=1)
    assert "output is there already: it is not the published file: its SHA-256 is" in message(result)
    assert "virnucpro download --remove m" in message(result)
    assert (home.own / "f").read_bytes() == OTHER


def test_a_hash_from_the_user(home, faulty):
    wrong, _ = faulty(Answers(CONTENT), "--sha256", "a" * 64, known=False, code=1)
    assert f"expected {'a' * 64}" in message(wrong)
    result, _ = faulty(Answers(CONTENT), "--sha256", f"f={sha256(CONTENT)}", known=False)
    assert whole(home) and "has no published SHA-256" not in message(result)


def test_ctrl_c_keeps_what_came(home, hub):
    server = FaultyServer(Answers(CONTENT, pace=0.3))
    offer(home, server, **KNOWN)
    process = home.start("download", *OF_TABLE, stderr=subprocess.PIPE)

    def kept():
        return [path for path in home.own.glob("m.incomplete/f.*") if path.stat().st_size > 0]
    home.wait_for(kept, process)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=5)[1].decode()
    assert process.returncode == 130 and "Run the command again: it continues where it stopped." in said
    size = kept()[0].stat().st_size
    server.answers.pace = 0
    home.download(*OF_TABLE)
    server.close()
    assert whole(home) and server.headers[-1]["Range"] == f"bytes={size}-"


def test_two_downloads_share_one(home):
    server = FaultyServer(Answers(CONTENT, pace=0.15))
    offer(home, server, **KNOWN)
    both = [home.start("download", *OF_TABLE, stderr=subprocess.PIPE,
                       stdout=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate(timeout=60)[1].decode() for process in both]
    server.close()
    assert [process.returncode for process in both] == [0, 0], said
    assert server.gets == 1 and whole(home)
    assert sum("another process fetches or removes the model" in text for text in said) == 1


def test_two_downloads_into_a_cache_share_one(home, hub):
    both = [home.start("download", "dnabert-s", stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(2)]
    said = [process.communicate(timeout=60)[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert home.has("dnabert-s")
    gets = [request[2] for request in hub.requests() if request[:2] == (str(hub.storage_port), "GET")]
    assert len(gets) == len(set(gets))


# --- what SECURITY.md promises ---


def test_a_certificate_for_another_host(home, hub, faulty):
    result, server = faulty(Answers(CONTENT), certificate=hub.folder / "elsewhere.pem", code=1)
    assert "certificate" in message(result).lower() and "127.0.0.1" in message(result)
    assert server.gets == 0
    _, server = faulty(Answers(CONTENT), certificate=hub.folder / "hub.pem")
    assert whole(home) and server.gets == 1


def test_the_body_never_comes_by_http_for_https(home, hub, faulty):
    plain = FaultyServer(Answers(CONTENT))
    result, server = faulty(Answers(CONTENT, statuses={1: 302}, location=f"{plain.url}/f"),
                            certificate=hub.folder / "hub.pem", code=1)
    plain.close()
    assert f"it redirects from https to {plain.url}" in message(result)
    assert server.gets == 1 and plain.gets == 0 and nothing_visible(home)


def test_no_login_is_read_and_no_cookie_is_kept(home, faulty):
    (home.folder / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    _, server = faulty(Answers(CONTENT, cut=CUT, cookie="known=yes; Path=/"))
    assert whole(home) and server.gets == 2
    assert not [headers for headers in server.headers if {"Cookie", "Authorization"} & headers.keys()]
    url = f"{server.url}/f"  # curl, told to, does both
    subprocess.run(["curl", "--silent", "--netrc", "--cookie", "", "-o", "one", "-o", "two", url, url],
                   cwd=home.folder, env=home.environment, check=True)
    assert server.headers[-1]["Cookie"] == "known=yes" and "Authorization" in server.headers[-1]


# --- kill -9, disks and rights ---


POINTS = by_length({"cache": 10, "folder": 5}, {"cache": 20, "folder": 20})


@pytest.mark.parametrize("kind", POINTS)
def test_kill_9_anywhere(home, kind):
    name, points = "dnabert-s", POINTS[kind]
    flags = ["--models-dir", "models"] if kind == "folder" else []
    place = home.folder / ("models" if flags else ".cache")
    shim = {"LD_PRELOAD": IO_SHIM, "VNP_SHIM_DIR": str(place)}
    log = home.folder / "calls.log"
    log.write_text("")
    home.download(name, *flags, environment={**shim, "VNP_SHIM_LOG": str(log)})
    calls = len(log.read_text().splitlines())
    expected = visible(home, flags)
    assert expected
    kills = 0
    for point in (1 + i * calls // points for i in range(points)):
        subprocess.run(["rm", "-rf", place], check=True)
        killed = home.download(name, *flags, code=None,
                               environment={**shim, "VNP_SHIM": f"kill:before:any:{point}"})
        # The network gives a file in more or fewer parts, so the last points may lie behind the end.
        kills += killed.returncode == -signal.SIGKILL
        assert killed.returncode in (-signal.SIGKILL, 0), (point, message(killed))
        assert visible(home, flags) in ({}, expected), point
        home.download(name, *flags)
        assert visible(home, flags) == expected, point
        assert not list(place.rglob("*.incomplete")), point
    assert kills >= 0.8 * points


def visible(home, flags):
    """What predict would see of the model: by name, its content."""
    if flags:
        folder = home.folder / "models" / "DNABERT-S"
    elif (home.repository("dnabert-s") / "refs" / "main").exists():
        folder = home.snapshot("dnabert-s")
    else:
        return {}
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


@pytest.mark.parametrize("flags", [[], ["--models-dir", "models"]], ids=["cache", "folder"])
def test_a_folder_that_cannot_be_written(home, flags):
    folder = home.folder / "models" if flags else home.cache
    folder.mkdir(parents=True)
    with read_only(folder):
        result = home.download("dnabert-s", *flags, code=1, preexec_fn=without_rights)
        assert "output cannot be written" in message(result)
        assert "Permission denied" in message(result) and "--models-dir DIR" in message(result)
    home.download("dnabert-s", *flags)
    with read_only(folder):  # what is there is found and checked
        home.download("dnabert-s", *flags, preexec_fn=without_rights)
        home.download("dnabert-s", "--check", *flags, preexec_fn=without_rights)


def on_a_small_disk(home, kib, *arguments, has=None):
    """Runs a download into `disk`, a tmpfs of this size. Only this process sees the mount. With `has`,
    a folder, the disk is the Hugging Face cache, and begins with what is in that."""
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    script = ('mkdir -p disk && mount -t tmpfs -o size="$0k" tmpfs disk || exit 99\n'
              'cp -a "${HAS:-/var/empty}/." disk; "$@"; code=$?; ls -R disk >&2; exit $code\n')
    place = ["--models-dir", "disk"]
    environment = home.environment
    if has:
        place = []
        environment = {**environment, "HAS": str(has), "HF_HUB_CACHE": str(home.folder / "disk")}
    result = subprocess.run(["unshare", "--mount", *root, "sh", "-c", script, str(kib), BIN, "download",
                             *arguments, *place], cwd=home.folder, env=environment,
                            capture_output=True, timeout=60, check=False)
    assert result.returncode != 99, message(result)
    return result


def test_a_full_disk_is_found_before_it_starts(home, hub):
    result = on_a_small_disk(home, 8, "dnabert-s")
    assert result.returncode == 1
    assert re.search(r"disk: there is not enough free space: [\d.]+ [kM]B are needed, and [\d.]+ kB are "
                     r"free", message(result))
    assert not [request for request in hub.requests() if request[1] == "GET"]


def test_a_damaged_blob_needs_space_once_more(home, hub, models):
    """It is written over only when the new one is whole."""
    content = max(files_of(models, "dnabert-s").values(), key=len)
    blobs = home.folder / "has" / home.repository("dnabert-s").name / "blobs"
    blobs.mkdir(parents=True)
    blob = blobs / sha256(content)
    blob.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    kib = len(content) * 3 // 2 // 1024
    damaged = on_a_small_disk(home, kib, "dnabert-s", has=home.folder / "has")
    assert "there is not enough free space" in message(damaged)
    assert not [request for request in hub.requests() if request[1] == "GET"]
    blob.write_bytes(content)
    whole = on_a_small_disk(home, kib, "dnabert-s", has=home.folder / "has")
    assert whole.returncode == 0, message(whole)


def of_an_unknown_size_on_a_small_disk(home, answers):
    server = FaultyServer(answers)
    offer(home, server)
    result = on_a_small_disk(home, 128, *OF_TABLE)
    server.close()
    assert result.returncode == 1
    assert "disk/m.incomplete:\nlock\n" in message(result)  # and nothing of the file
    return message(result)


def test_a_size_that_is_known_when_the_body_comes(home):
    said = of_an_unknown_size_on_a_small_disk(home, Answers(CONTENT, heads=False))
    assert re.search(r"m.incomplete: there is not enough free space: 512.0 kB are needed, and [\d.]+ kB are "
                     r"free", said)


def test_a_disk_that_fills_up_on_the_way(home):
    """Its size is never known: the server does not say it."""
    said = of_an_unknown_size_on_a_small_disk(home, Answers(CONTENT, heads=False, lengths=False))
    assert "No space left on device" in said and "--models-dir DIR" in said


# --- what it says of itself ---


def listed(home, *flags):
    result = home.download("--list", "--json", *flags)
    return {model["name"]: model for model in json.loads(result.stdout)["models"]}


def test_the_list(home, hub, models):
    before = listed(home)
    assert list(before) == ["dnabert-s", "esm2-3b", "esm2-3b-fair", "300", "500"]
    assert {model["there"] for model in before.values()} == {"no"}
    home.download("500")
    after = listed(home)
    assert after["500"]["there"] == "yes" and after["300"]["there"] == "no"
    [file] = after["500"]["files"]
    assert file["git_blob_sha1"] == git_blob(files_of(models, "500")["500_model.pth"])
    assert file["path"] == str(home.own / "500_model.pth") and file["there"]
    assert file["urls"][0].startswith(f"https://127.0.0.1:{hub.port}/raw/")
    shown = home.download("--list").stdout.decode()
    for name in before:
        assert re.search(rf"(?m)^{name}( \(instead of esm2-3b\))?\n  size: .*\n  source: https://.*\n"
                         r"  licence: .*\n  there: ", shown), shown


def test_the_list_says_where_a_download_goes(home, models):
    """Also where another place has a part of the model."""
    files = files_of(models, "dnabert-s")
    part = home.own / "DNABERT-S"
    part.mkdir(parents=True)
    (part / "config.json").write_bytes(files["config.json"])
    model = listed(home)["dnabert-s"]
    assert model["there"] == "partly" and model["goes_to"] == str(home.repository("dnabert-s"))
    assert {file["name"]: file["path"] for file in model["files"]} == \
        {name: str(part / name) if name == "config.json" else None for name in files}
    shown = home.download("--list", "dnabert-s").stdout.decode()
    assert f"  there: partly, in {part}; goes to {model['goes_to']}\n" in shown
    home.download("dnabert-s")
    assert home.has("dnabert-s") and listed(home)["dnabert-s"]["there"] == "yes"
    assert f"  there: {home.snapshot('dnabert-s')}\n" in home.download("--list", "dnabert-s").stdout.decode()


def test_the_installed_table(home):
    home.environment.pop("VIRNUCPRO_SHARE")
    table_of_tests = json.loads((SOURCE / "share" / "virnucpro" / "models.json").read_text())
    found = listed(home)
    assert list(found) == [model["name"] for model in table_of_tests["models"]]
    assert found["500"]["licence"] is None and found["500"]["files"][0]["bytes"] is None


def test_models_carried_by_hand(home, hub, models):
    """--print-urls where there is a network, --from where there is none."""
    (home.folder / "carried").mkdir()
    text = home.download("--print-urls").stdout.decode()
    (home.folder / "carried" / "models.txt").write_text(text)
    command = re.search(r"(?m)^#   (sed .*)$", text).group(1)
    subprocess.run(["bash", "-euc", command], cwd=home.folder / "carried", check=True,
                   env={**home.environment, "CURL_CA_BUNDLE": home.environment["SSL_CERT_FILE"]},
                   capture_output=True)
    hub.forget_requests()
    home.download("--from", "carried")
    assert hub.requests() == []
    assert {path.name for path in home.own.iterdir()} == {
        "DNABERT-S", "esm2_t36_3B_UR50D", "300_model.pth", "500_model.pth", "virnucpro-hashes.json"}
    home.predict("-o", "out", code=0)
    home.predict("-o", "other", "--models-dir", "carried", code=0)
    assert home.download("all").stdout.count(b"(already there, complete)") == 4
    assert hub.requests() == []


def test_a_carried_file_that_is_damaged_or_missing(home, models):
    carried = home.folder / "carried"
    carried.mkdir()
    missing = home.download("500", "--from", "carried", code=1)
    assert "carried/500_model.pth: input not found: the model 500 needs this file" in message(missing)
    content = files_of(models, "500")["500_model.pth"]
    (carried / "500_model.pth").write_bytes(content[:-1] + b"x")
    damaged = home.download("500", "--from", "carried", code=1)
    assert "carried/500_model.pth: it is not the published file: its git blob's id is" in message(damaged)
    assert not (home.own / "500_model.pth").exists()


def test_a_carried_file_that_changes_while_it_is_copied(home):
    """Its hash is not known."""
    carried = home.folder / "carried"
    carried.mkdir()
    (carried / "f").write_bytes(CONTENT * 2)
    (home.folder / "more.json").write_text(
        table({"name": "m", "source": "url", "files": [{"name": "f", "urls": ["http://localhost/f"]}]}))
    gate = home.folder / "gate"
    os.mkfifo(gate)
    home.environment.update(LD_PRELOAD=IO_SHIM, VNP_SHIM="pause:read:2", VNP_SHIM_DIR=str(home.own),
                            VNP_SHIM_READS=str(carried), VNP_SHIM_GATE=str(gate))
    process = home.start("download", *OF_TABLE, "--from", "carried",
                         stderr=subprocess.PIPE)
    opened = []

    def is_waiting():
        with contextlib.suppress(OSError):
            opened.append(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
        return opened
    home.wait_for(is_waiting, process)
    with (carried / "f").open("r+b") as file:
        file.write(OTHER * 2)
    os.close(opened[0])
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 1 and "it was written to after it was opened" in said
    assert nothing_visible(home) and not (home.own / "virnucpro-hashes.json").exists()


def test_check_and_repair(home):
    assert home.download("--check", "dnabert-s", code=1).stdout.count(b": missing (") >= 2
    home.download("dnabert-s")
    assert b"missing" not in home.download("--check", "dnabert-s").stdout
    [largest] = [path for path in home.snapshot("dnabert-s").iterdir() if path.suffix == ".safetensors"]
    blob = largest.resolve()
    blob.write_bytes(b"\xff" + blob.read_bytes()[1:])
    check = home.download("--check", "dnabert-s", code=1).stdout.decode()
    assert f"dnabert-s/{largest.name}: damaged: its SHA-256 is" in check
    home.download("dnabert-s")
    assert home.has("dnabert-s")


def test_a_damaged_copy_is_not_passed_over_in_silence(home, models):
    """In this program's own folder, which is looked into last, and in the cache before it."""
    files = files_of(models, "dnabert-s")
    name, content = max(files.items(), key=lambda file: len(file[1]))
    own = home.own / "DNABERT-S"
    own.mkdir(parents=True)
    for file, whole_content in files.items():
        (own / file).write_bytes(whole_content)
    (own / name).write_bytes(content[:-1])
    said = message(home.download("dnabert-s"))
    assert (f"{own / name}: it is not the published file: it has {len(content) - 1} bytes, expected "
            f"{len(content)}; the file stays there, and the model is fetched to {home.repository('dnabert-s')}"
            in said), said
    assert home.has("dnabert-s")
    (own / name).write_bytes(content)  # predict would still take the damaged file in the cache
    (home.snapshot("dnabert-s") / name).resolve().write_bytes(content[:-1])
    said = message(home.download("dnabert-s"))
    assert f"{home.snapshot('dnabert-s') / name}: it is not the published file: " in said
    assert "; the file is fetched anew" in said
    assert home.has("dnabert-s")


def test_remove(home):
    home.download("all", "esm2-3b-fair")
    assert home.download("--remove", code=1)
    removed = home.download("--remove", "all", "esm2-3b-fair").stdout.decode()
    assert removed.count("removed ") >= 6
    left = [name for name in tree(home.folder / ".cache") if "/.locks/" not in name]
    assert left == []
    assert home.download("--remove", "all").stdout == b"nothing to remove\n"


def test_remove_leaves_what_others_use(home):
    """Another revision with the same files, and what another program is fetching."""
    home.download("dnabert-s")
    (folder,) = home.cache.glob("models--*")
    (first,) = (folder / "snapshots").iterdir()
    second = folder / "snapshots" / "another"
    second.mkdir()
    for link in first.iterdir():
        (second / link.name).symlink_to(os.readlink(link))
    (folder / "blobs" / "ffff.incomplete").write_text("of another")
    home.download("--remove", "dnabert-s")
    assert not first.exists()
    assert all(link.exists() for link in second.iterdir())
    assert (folder / "blobs" / "ffff.incomplete").exists()


def test_a_file_that_was_there_is_held_to_its_hash_too(home):
    home.download("esm2-3b-fair")
    record, = home.folder.rglob("virnucpro-hashes.json")
    text = record.read_text()
    record.unlink()
    assert "has no published SHA-256" in message(home.download("esm2-3b-fair"))
    assert record.read_text() == text


@pytest.mark.parametrize("url", ["http://localhost/';id;'", "https://me:secret@localhost"])
def test_a_mirror_that_a_shell_or_a_log_should_not_see(home, url):
    result = home.download("--print-urls", code=1, environment={"HF_ENDPOINT": url})
    assert "HF_ENDPOINT: expected an https or http URL without a user name" in message(result)
    assert "secret" not in message(result)


def test_the_missing_model_error_has_the_one_command(home):
    text = message(home.predict("-o", "out", code=1))
    assert re.search(r"(?m)^virnucpro: error: model not found: DNABERT-S \(.*\), ESM-2 \(.*\), classifier", text)
    assert len(text.splitlines()) == 2 and max(map(len, text.splitlines())) <= 100
    places = message(home.predict("-v", "-o", "out", code=1))
    assert str(home.cache) in places and str(home.own / "500_model.pth") in places
    command = re.search(r"Get them with: (virnucpro download .*)", text).group(1)
    assert command == "virnucpro download dnabert-s esm2-3b 500"
    home.download(*command.split()[2:])
    home.predict("-o", "out", code=0)


@pytest.mark.parametrize("flags, said", [
    (["--esm-model", "esm2-3b"], "virnucpro download dnabert-s esm2-3b 500"),
    (["--esm-model", "esm2_t36_3B_UR50D.pt"], "virnucpro download dnabert-s esm2-3b-fair 500"),
    (["--esm-model", "esm2_3b"], 'ESM-2 "esm2_3b"; did you mean esm2-3b?'),
    (["--esm-model", "esm2_t6_8M"], 'ESM-2 "esm2_t6_8M", classifier'),
    (["--esm-model", "300"], 'ESM-2 "300", classifier'),
    (["-p", "absent/500_model.pth", "-e", "9", "-m", "custom"],
     'classifier "absent/500_model.pth"\n  Get them with: virnucpro download dnabert-s esm2-3b 500'),
    (["--esm-model", "esm2_t6_8M"], "Get what can be downloaded with: virnucpro download dnabert-s 500"),
    (["--dnabert-model", "dnabert_s", "-m", "300"], "virnucpro download dnabert-s esm2-3b 300"),
])
def test_a_missing_model_by_any_name(home, flags, said):
    assert said in message(home.predict("-o", "out", *flags, code=1))


NAMES = {"dnabert-s": ["DNABERT-S", "dnabert_s", "zhihan1996/DNABERT-S"],
         "esm2-3b": ["esm2_t36_3B_UR50D", "esm2_t36_3B", "facebook/esm2_t36_3B_UR50D"],
         "esm2-3b-fair": ["esm2_t36_3B_UR50D.pt"], "300": ["300_model.pth"]}


@pytest.mark.parametrize("name", NAMES)
def test_download_takes_the_names_of_predict(home, name):
    plain = home.download("--print-urls", name).stdout
    for other in NAMES[name]:
        assert home.download("--print-urls", other).stdout == plain
    assert home.download("--print-urls", name, NAMES[name][0]).stdout == plain


def test_predict_takes_the_names_of_download(home):
    home.download("dnabert-s", "esm2-3b", "500")
    home.predict("--dnabert-model", "dnabert-s", "--esm-model", "esm2-3b", "-p", "500", "-e", "500",
                 "-m", "custom", "-o", "out", code=0)


def test_a_link_of_a_cache_whose_blob_is_gone(home):
    home.download()
    for file in ("model.safetensors", "config.json", "tokenizer.json"):
        link = home.snapshot("dnabert-s") / file
        link.resolve().unlink()
        said = message(home.predict("-o", "out", "--force", code=1))
        assert f"{link}: model not found: the path is a link to {os.readlink(link)}, which does not exist" in said
        command = re.search(r"Get it again: (virnucpro download .*)", said).group(1)
        home.download(*command.split()[2:])
        assert home.has("dnabert-s")
    home.predict("-o", "out", "--force", code=0)


def test_the_command_names_the_folder(home):
    (home.folder / "my models").mkdir()
    result = home.predict("-o", "out", "--models-dir", "my models", code=1)
    assert "virnucpro download dnabert-s esm2-3b 500 --models-dir 'my models'" in message(result)


@pytest.mark.parametrize("arguments, why", [
    (["dnabert"], "unknown model dnabert; did you mean dnabert-s?"),
    (["esm2_t36_3B_UR50"], "did you mean esm2_t36_3B_UR50D?"),
    (["esm2_t6_8M"], "not among the models that are downloaded (--list): get it from its publisher, "
                     "facebook/esm2_t6_8M_UR50D"),
    (["--json"], "--json needs --list"),
    (["--list", "--check"], "exclude each other"),
    (["--list", "--retries", "2"], "--retries has no effect here: nothing is downloaded"),
    (["--print-urls", "--retries", "2"], "--retries has no effect here"),
    (["--check", "--retries", "2"], "--retries has no effect here"),
    (["--from", ".", "--retries", "2"], "--retries has no effect here"),
    (["--remove", "500", "--retries", "2"], "--retries has no effect here"),
    (["--print-urls", "500", "--sha256", "a" * 64],
     "--sha256 has no effect here: no file is compared with a hash"),
    (["--list", "500", "--sha256", "a" * 64], "--sha256 has no effect here"),
    (["--remove", "500", "--sha256", "a" * 64], "--sha256 has no effect here"),
    (["--print-urls", "--models-dir", "."], "--models-dir has no effect here"),
    (["500", "--sha256", "abc"], "expected 64 hexadecimal digits"),
    (["dnabert-s", "500", "--sha256", "a" * 64], "expected FILE=HASH"),
    (["--retries", "x"], "--retries"),
    (["--manifest", "absent.json"], "absent.json"),
    (["--models-dir", "share/models.json"], "expected a directory"),
])
def test_wrong_use(home, arguments, why):
    assert why in message(home.download(*arguments, code=1))


def test_progress_on_a_terminal_and_elsewhere(home):
    server = FaultyServer(Answers(CONTENT, pace=0.4))
    offer(home, server, **KNOWN)
    shown = home.on_a_terminal("download", *OF_TABLE, stdin=b"").decode()
    server.close()
    assert re.search(r"m/f · [\d.]+ kB of 512\.0 kB · [\d.]+ % · [\d.]+ kB/s · ETA 0:00:0\d", shown), shown
    checking = r"checking m/f · [\d.]+ kB of 512\.0 kB · [\d.]+ %"
    assert re.search(checking, shown), shown
    (home.folder / "f").write_bytes(CONTENT)
    for flags in ([], ["--check"], ["--from", ".", "--models-dir", "carried"]):
        read = home.on_a_terminal("download", *OF_TABLE, *flags, stdin=b"", wait=0)
        assert re.search(checking, read.decode()), read
    plain = home.download("500")
    assert re.search(r"(?m)^virnucpro: 500/500_model.pth · .* · from https://127", message(plain))
    assert "\x1b" not in message(plain)
    assert message(home.download("300", "-q")) == ""


def test_predict_opens_no_socket(home):
    home.download("all")
    (home.folder / "reads.fa").write_text(fasta(pieces("ACGTTGCAAGCTTACG" * 500)))
    result = subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=%network", "-o", "calls", BIN, "predict", "reads.fa", "-o",
         "out", "--no-progress", "--cpu-workers", "2", "-t", "2"],
        cwd=home.folder, env=home.environment, capture_output=True, timeout=120, check=False)
    assert result.returncode == 0, message(result)
    calls = (home.folder / "calls").read_text()
    assert "socketpair(AF_UNIX" in calls  # the workers'
    assert not re.search(r"\b(socket|connect|bind|accept4?|listen)\(", calls), calls

"""A hub of the tests' own: small models, their table, and the servers that publish them.

`Hub` is Debian's nginx with TLS and a CA of its own. It answers as huggingface.co does: a large
file's URL leads to another host and port, and the reply that leads there has the commit, hash and
size. `FaultyServer` gives a single file, and can be told to do it wrong.

    model_hub.py PROGRAM FOLDER    serves small models of its own until it is ended

writes FOLDER/environment, what `download` needs of variables, FOLDER/models.json, its table, and
FOLDER/ca.pem.
"""

import contextlib
import hashlib
import http.server
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 4096  # bytes: from here on a file lies on the other host, as with Git LFS
REPOSITORIES = {"dnabert-s": "zhihan1996/DNABERT-S", "esm2-3b": "facebook/esm2_t36_3B_UR50D"}
FOLDERS = {"dnabert-s": "DNABERT-S", "esm2-3b": "esm2_t36_3B_UR50D"}
GITHUB = "Li-Jing-1997/VirNucPro"


def git_blob(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_open(port, process):
    deadline = time.monotonic() + 20
    while True:
        assert process.poll() is None and time.monotonic() < deadline
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)


def export_models(export, folder):
    """Small synthetic models under the published names; `export` runs utils export-weights."""
    export("synthetic:dnabert-s-tiny", folder / "dnabert-s")
    export("synthetic:esm2_tiny", folder / "esm2-3b")
    export("synthetic:1", folder / "300_model.pth", "--inputs", "80")
    export("synthetic:2", folder / "500_model.pth", "--inputs", "80")
    (folder / "esm2_t36_3B_UR50D.pt").write_bytes(b"a stand-in for fair-esm's file\n" * 100)
    return folder


def files_of(models, name):
    """The files of a model, by name."""
    if name in REPOSITORIES:
        return {path.name: path.read_bytes() for path in sorted((models / name).iterdir())}
    file = "esm2_t36_3B_UR50D.pt" if name == "esm2-3b-fair" else f"{name}_model.pth"
    return {file: (models / file).read_bytes()}


def row_of(models, name, **members):
    """A model's row of the table: large files have hashes, small ones none, as in the real one."""
    rows = []
    for file, content in files_of(models, name).items():
        row = {"name": file, "bytes": None, "sha256": None}
        if name in REPOSITORIES and len(content) >= LARGE:
            row.update(bytes=len(content), sha256=sha256(content))
        if name in ("300", "500"):
            row.update(git_blob_sha1=git_blob(content))
        rows.append(row)
    of_source = {"source": "fair-esm", "instead_of": "esm2-3b"}
    if name in REPOSITORIES:
        of_source = {"source": "hugging-face", "repository": REPOSITORIES[name],
                     "folder": FOLDERS[name]}
    elif name in ("300", "500"):
        of_source = {"source": "github", "repository": GITHUB, "revision": COMMIT}
    return {"name": name, **of_source, "files": rows, **members}


def table(*rows):
    return json.dumps({"schema": "virnucpro-models-1", "models": list(rows)})


def full_table(models):
    return table(*(row_of(models, name)
                   for name in ("dnabert-s", "esm2-3b", "esm2-3b-fair", "300", "500")))


def share_with(text, installed, folder):
    """A folder with what is installed, and this table of models."""
    folder.mkdir()
    for entry in installed.iterdir():
        if entry.name != "models.json":
            (folder / entry.name).symlink_to(entry)
    (folder / "models.json").write_text(text)


def make_certificates(folder):
    """A CA, and certificates by it: hub.pem for localhost and 127.0.0.1, elsewhere.pem for another host."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=CA")
    for name, hosts in (("hub", "DNS:localhost,IP:127.0.0.1"), ("elsewhere", "DNS:elsewhere.example")):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (folder / "names").write_text(f"subjectAltName={hosts}\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-out", f"{name}.pem", "-extfile", "names")


class Hub:
    """huggingface.co, its storage, raw.githubusercontent.com and dl.fbaipublicfiles.com."""

    def __init__(self, folder, models):
        self.folder, self.models = folder, models
        self.port, self.storage_port, self.plain_port = free_port(), free_port(), free_port()
        (folder / "blobs").mkdir(parents=True)
        make_certificates(folder)
        (folder / "nginx.conf").write_text(self.settings())
        nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        self.process = subprocess.Popen([nginx, "-c", folder / "nginx.conf", "-p", folder],
                                        stderr=subprocess.DEVNULL)
        wait_until_open(self.port, self.process)

    @property
    def environment(self):
        base = f"https://127.0.0.1:{self.port}"
        return {"HF_ENDPOINT": base, "VIRNUCPRO_GITHUB_URL": f"{base}/raw",
                "VIRNUCPRO_FAIR_ESM_URL": f"{base}/fair", "SSL_CERT_FILE": str(self.folder / "ca.pem")}

    def close(self):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        """What was asked for: (server, method, path, range, authorization, user agent)."""
        time.sleep(0.05)  # nginx writes its log after the reply
        return [tuple(line.split("|")) for line in (self.folder / "access.log").read_text().splitlines()]

    def forget_requests(self):
        (self.folder / "access.log").write_text("")

    def publish(self, content):
        (self.folder / "blobs" / sha256(content)).write_bytes(content)
        return sha256(content)

    def location(self, repository, file, content):
        """How the hub answers for a file; the middle of the URL is the revision."""
        digest = self.publish(content)
        path = rf"~ ^/{repository}/resolve/(main|{COMMIT})/{re.escape(file)}$"
        head = f"add_header X-Repo-Commit {COMMIT} always;"
        storage = f"https://localhost:{self.storage_port}/blobs/{digest}?signature=x"
        if len(content) >= LARGE:
            head += (f" add_header X-Linked-Etag '\"{digest}\"' always;"
                     f" add_header X-Linked-Size {len(content)} always;")
            return f"location {path} {{ {head} return 302 {storage}; }}"
        if file == "config.json":  # as small files come today: from the same host
            head += (f" add_header X-Linked-Etag '\"{git_blob(content)}\"' always;"
                     f" add_header X-Linked-Size {len(content)} always;")
            return (f"location {path} {{ {head} return 307 /api/small/{digest}; }}\n"
                    f"location = /api/small/{digest} {{ {head} etag off;"
                    f" rewrite .* /blobs/{digest} break; }}")
        head += f" add_header ETag '\"{git_blob(content)}\"';"
        return f"location {path} {{ {head} etag off; rewrite .* /blobs/{digest} break; }}"

    def settings(self):
        locations = [self.location(repository, file, content)
                     for name, repository in REPOSITORIES.items()
                     for file, content in files_of(self.models, name).items()]
        for base, name in ((f"raw/{GITHUB}/{COMMIT}", "300"), (f"raw/{GITHUB}/{COMMIT}", "500"),
                           ("fair", "esm2-3b-fair")):
            for file, content in files_of(self.models, name).items():
                locations.append(f"location = /{base}/{file} {{ rewrite .* /blobs/"
                                 f"{self.publish(content)} break; }}")
        temporary = "\n".join(f"{kind}_temp_path '{self.folder}/{kind}';"
                              for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        lines = "\n".join(locations)
        return f"""
daemon off; worker_processes 1; user root; pid '{self.folder}/nginx.pid'; error_log '{self.folder}/error.log';
events {{ worker_connections 256; }}
http {{
  {temporary}
  log_format short '$server_port|$request_method|$uri|$http_range|$http_authorization|$http_user_agent';
  access_log '{self.folder}/access.log' short;
  absolute_redirect off;
  ssl_certificate '{self.folder}/hub.pem'; ssl_certificate_key '{self.folder}/hub.key';
  server {{
    listen 127.0.0.1:{self.port} ssl; listen 127.0.0.1:{self.plain_port};
    root '{self.folder}';
    {lines}
    location = /loop {{ return 302 /loop; }}
    location = /to-http {{ return 302 http://127.0.0.1:{self.plain_port}/blobs/x; }}
  }}
  server {{
    listen 127.0.0.1:{self.storage_port} ssl;
    root '{self.folder}';
    limit_rate_after 64k;
  }}
}}
"""


@contextlib.contextmanager
def running_hub(run, folder):
    """A hub of small models. `run` runs the program."""
    def export(model, place, *flags):
        run("utils", "export-weights", model, "-o", place, *flags)
    (folder / "models").mkdir(parents=True)
    hub = Hub(folder / "hub", export_models(export, folder / "models"))
    try:
        yield hub
    finally:
        hub.close()


@dataclass
class Answers:
    """How a FaultyServer answers; each list names the numbers of the GETs that it concerns."""

    content: bytes
    ranges: bool = True        # False: always 200 and the whole
    etag: str = '"one"'
    later_etag: str = ""       # of the second GET and later ones
    cut: dict = field(default_factory=dict)  # bytes after which the connection ends, by GET
    length: int = None         # Content-Length
    lengths: bool = True       # False: there is none
    head_length: int = None    # Content-Length of HEAD
    heads: bool = True         # False: HEAD is not known
    content_range: str = None  # Content-Range
    statuses: dict = field(default_factory=dict)  # another status, by GET
    location: str = ""         # with such a status
    cookie: str = ""           # Set-Cookie
    commit: str = ""           # X-Repo-Commit, as a hub has it
    pace: float = 0            # seconds between parts


class FaultyServer:
    """A server of one file, whatever the path, over http, or https with a certificate (a .pem of
    make_certificates)."""

    def __init__(self, answers, certificate=None):
        self.answers, self.gets, self.headers = answers, 0, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                outer.head(self)

            def do_GET(self):
                outer.gets += 1
                outer.headers.append(dict(self.headers))
                outer.get(self, outer.gets)
                self.close_connection = True

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, certificate.with_suffix(".key"))
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        scheme = "https" if certificate else "http"
        self.url = f"{scheme}://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def head(self, request):
        answers = self.answers
        request.send_response(200 if answers.heads else 405)
        length = len(answers.content) if answers.head_length is None else answers.head_length
        request.send_header("Content-Length", str(length if answers.heads else 0))
        request.send_header("ETag", answers.etag)
        if answers.commit:
            request.send_header("X-Repo-Commit", answers.commit)
        request.end_headers()

    def get(self, request, number):
        answers = self.answers
        if number in answers.statuses:
            request.send_response(answers.statuses[number])
            if answers.location:
                request.send_header("Location", answers.location)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        first = 0
        asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        etag = answers.later_etag if number > 1 and answers.later_etag else answers.etag
        same = request.headers.get("If-Range", etag) == etag or answers.content_range
        if asked and answers.ranges and (same or answers.later_etag):
            first = int(asked.group(1))
        body = answers.content[first:]
        request.send_response(206 if first else 200)
        if first:
            total = len(answers.content)
            request.send_header("Content-Range",
                                answers.content_range or f"bytes {first}-{total - 1}/{total}")
        length = len(body) if answers.length is None else answers.length
        if answers.lengths:
            request.send_header("Content-Length", str(length))
        if answers.cookie:
            request.send_header("Set-Cookie", answers.cookie)
        request.send_header("ETag", etag)
        request.end_headers()
        self.send(request, body[:answers.cut.get(number, len(body))])

    def send(self, request, body):
        try:
            for begin in range(0, len(body), 65536):
                request.wfile.write(body[begin:begin + 65536])
                if self.answers.pace:
                    time.sleep(self.answers.pace)
            request.wfile.flush()
        except OSError:  # the program has ended
            pass


@contextlib.contextmanager
def running_proxy(folder):
    """tinyproxy: the port it listens on; its log names the hosts that were asked for."""
    port = free_port()
    (folder / "tinyproxy.conf").write_text(
        f'Port {port}\nListen 127.0.0.1\nTimeout 60\nLogFile "{folder}/proxy.log"\nLogLevel Connect\n'
        "MaxClients 20\n")
    process = subprocess.Popen(["tinyproxy", "-d", "-c", folder / "tinyproxy.conf"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until_open(port, process)
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


def tree(folder):
    """Every file below a folder, with its content."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def serve(program, folder):
    with running_hub(lambda *words: subprocess.run([program, *words], check=True), folder) as hub:
        (folder / "models.json").write_text(full_table(hub.models))
        (folder / "ca.pem").write_bytes((hub.folder / "ca.pem").read_bytes())
        lines = [f"{name}={value}\n" for name, value in hub.environment.items() if name != "SSL_CERT_FILE"]
        (folder / "environment").write_text("".join(lines))  # last: it says that all is there
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    serve(sys.argv[1], Path(sys.argv[2]).resolve())

"""Run directories as a stranger could craft them. The journal's checksums have no key, so anyone can
make them fit."""

import shutil
import sqlite3
import struct

from checksums import crc32c

ROLLBACK_MAGIC = bytes.fromhex("d9d505f920a163d7")
SECTOR = 512
LOCK_BYTE = 0x40000000
PAGE = 4096
APPLICATION_ID = 68  # where it stands in a database's header


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def super_journal(database, victim):
    """A rollback journal of a transaction over several databases: SQLite rolls `database` back, and
    deletes `victim`, which it takes for the file that names them."""
    pages = len(database.read_bytes()) // PAGE
    name = str(victim).encode()
    header = ROLLBACK_MAGIC + struct.pack(">IIIII", 0, 7, pages, SECTOR, PAGE)
    return (header.ljust(SECTOR, b"\0") + struct.pack(">I", LOCK_BYTE // PAGE + 1) + name
            + struct.pack(">II", len(name), sum(name)) + ROLLBACK_MAGIC)


def opened(run):
    """The journal's database, without files of shared memory."""
    database = sqlite3.connect(run / "run.db", isolation_level=None)
    database.text_factory = bytes
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    return database


def change(run, *statements):
    """Runs each statement, text or (text, parameters), on a run's journal; all are in its file then."""
    database = opened(run)
    for statement in statements:
        database.execute(*((statement,) if isinstance(statement, str) else statement))
    database.close()


def change_in_log(run, *statements):
    """The same, and the changes are only in the write-ahead log, as if the writer had been killed."""
    database = opened(run)
    for statement in statements:
        database.execute(*((statement,) if isinstance(statement, str) else statement))
    files = {name: (run / name).read_bytes() for name in ("run.db", "run.db-wal")}
    database.close()
    for name, data in files.items():
        (run / name).write_bytes(data)


def interrupt(run):
    """As if the run had been killed before its last row."""
    shutil.rmtree(next(run.glob("*_merged")))
    (run / "sequences.tsv").unlink()
    change_in_log(run, "DELETE FROM completion")


def entry(key, value):
    """The statement that gives a fingerprint an entry, with its checksum."""
    key, value = (text if isinstance(text, bytes) else text.encode() for text in (key, value))
    crc = crc32c(varint(len(key)) + key + varint(len(value)) + value)
    return ("INSERT OR REPLACE INTO fingerprint VALUES (CAST(? AS TEXT), CAST(? AS TEXT), ?)",
            (key, value, crc))


def overwrite(file, at, data):
    with open(file, "r+b") as stream:
        stream.seek(at)
        stream.write(data)


def wal_sum(data, start=(0, 0), order="<"):
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for word, other in zip(words[::2], words[1::2]):
        first = first + word + second & 0xffffffff
        second = second + other + first & 0xffffffff
    return first, second


def seal_log(log):
    """A write-ahead log with checksums that fit its bytes."""
    order = ">" if log[3] & 1 else "<"
    sums = wal_sum(log[:24], order=order)
    sealed = log[:24] + struct.pack(">II", *sums)
    for at in range(32, len(log), 24 + PAGE):
        head, page = log[at:at + 16], log[at + 24:at + 24 + PAGE]
        sums = wal_sum(page, wal_sum(head[:8], sums, order), order)
        sealed += head + struct.pack(">II", *sums) + page
    return sealed


def log_with(change_log, sealed=True):
    """What changes the bytes of a killed run's log; its checksums fit again, if `sealed`."""
    def craft(run):
        interrupt(run)
        log = bytearray((run / "run.db-wal").read_bytes())
        change_log(log)
        (run / "run.db-wal").write_bytes(seal_log(bytes(log)) if sealed else bytes(log))
    return craft


def pages_without_end(run):
    """The fingerprint's rows in a tree whose branches meet again and again: 200 to the fifth power
    times its rows, from a file that grows by 20 kB."""
    database = opened(run)
    root = database.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'fingerprint'").fetchone()[0]
    database.close()
    data = bytearray((run / "run.db").read_bytes())
    leaf = bytes(data[(root - 1) * PAGE:root * PAGE])
    if leaf[0] != 10:  # a leaf of an index tree
        raise ValueError("the fingerprint does not fit one page")
    pages = len(data) // PAGE
    # A row as SQLite stores it: three types, then the key "a", no value, and the checksum.
    payload = bytes([4, 15, 13, 6]) + b"a" + struct.pack(">q", crc32c(b"\x01a\0"))
    cell = struct.pack(">I", 0) + bytes([len(payload)]) + payload

    def branch(child):
        count = 200
        at = PAGE - count * len(cell)
        head = struct.pack(">BHHHBI", 2, 0, count, at, 0, child)
        pointers = b"".join(struct.pack(">H", at + k * len(cell)) for k in range(count))
        cells = (struct.pack(">I", child) + cell[4:]) * count
        return (head + pointers).ljust(at, b"\0") + cells

    levels = 5
    data[(root - 1) * PAGE:root * PAGE] = branch(pages + 1)
    for level in range(1, levels):
        data += branch(pages + level + 1)
    data += leaf
    data[28:32] = struct.pack(">I", len(data) // PAGE)
    (run / "run.db").write_bytes(data)


def values_without_end(run):
    """A fingerprint whose values are computed, and each for hours: a search for 7 MB in 15 MB."""
    change(run, "DROP TABLE fingerprint",
           "CREATE TABLE fingerprint(key TEXT, value TEXT AS (1) VIRTUAL)",
           "INSERT INTO fingerprint(key) VALUES ('stem')", "PRAGMA writable_schema = 1",
           "UPDATE sqlite_schema SET sql = replace(sql, 'AS (1)', 'AS (instr(hex(zeroblob(15000000)), "
           "hex(zeroblob(7000000)) || ''1''))')")


def schema_without_end(run):
    """The rows of sqlite_schema in such a tree: SQLite reads them all before the first statement. The
    repeated row is an index that SQLite makes by itself, the only kind that it takes again."""
    change(run, "CREATE TABLE surprise(word TEXT UNIQUE)")
    data = bytearray((run / "run.db").read_bytes())
    head = 100  # of the first page, in front of its tree
    if data[head] != 13:  # a leaf of a table's tree
        raise ValueError("the schema does not fit one page")
    count = struct.unpack_from(">H", data, head + 3)[0]
    cells = struct.unpack_from(f">{count}H", data, head + 8)
    index = next(at for at in cells if b"sqlite_autoindex_surprise_1" in data[at:at + 60])

    def leaf(places):
        """A page of its own with the rows at these places of the first."""
        start = struct.pack(">BHHHB", 13, 0, len(places), min(places), 0)
        pointers = struct.pack(f">{len(places)}H", *places)
        return (start + pointers).ljust(head + 8, b"\0") + bytes(data[head + 8:PAGE])

    def branch(children, space=0):
        *left, right = children
        at = PAGE - 5 * len(left)
        start = struct.pack(">BHHHBI", 5, 0, len(left), at, 0, right)
        pointers = b"".join(struct.pack(">H", at + 5 * k) for k in range(len(left)))
        rows = b"".join(struct.pack(">IB", child, 1) for child in left)
        return (start + pointers).ljust(PAGE - space - len(rows), b"\0") + rows

    page = len(data) // PAGE + 1
    levels = 5
    for added in (leaf(cells), leaf([index]),
                  *(branch([page + level + 1] * 200) for level in range(levels))):
        data += added
    data[head:PAGE] = branch([page, page + levels + 1], space=head)
    data[28:32] = struct.pack(">I", len(data) // PAGE)
    (run / "run.db").write_bytes(data)

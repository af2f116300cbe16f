"""sequences.tsv, in whose last column each row names its input."""


def with_input(table, *names):
    """The table as a run writes it that reads the same sequences from an input of another name:
    one name for all rows, or one for each."""
    header, *rows = table.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    assert header.endswith("\tinput\n")
    names = names if len(names) > 1 else names * len(rows)
    for k, (row, name) in enumerate(zip(rows, names, strict=True)):
        rows[k] = row.rpartition("\t")[0] + f"\t{name}\n"
    return "".join([header, *rows]).encode("utf-8", "surrogateescape")

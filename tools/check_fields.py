#!/usr/bin/env python3
"""Checks that a field of telemetry is declared once: its name is no text anywhere else.

The fields are those of VIRNUCPRO_FIELDS in RECORDS. No file of src/observe and src/telemetry spells one
as a text, and no file at all spells a GPU's gauge, but for EXCEPTIONS. Names of a single word are not
checked: other things have such names too. Exits with 1 and names file and line of every breach.

    tools/check_fields.py [CHECKOUT]
"""

import re
import sys
from pathlib import Path

GAUGES = "src/observe/gauges.hpp"
RECORDS = (GAUGES, "src/observe/counters.hpp", "src/observe/statistic.hpp", "src/telemetry/run_telemetry.hpp")
ROOMS = ("src/observe/", "src/telemetry/")
LOG_COLUMNS = "src/observe/monitor_rows.hpp"  # names every gauge: the log's columns have an order of their own
LOG = "throttle_reasons ecc_errors rss_bytes read_bytes written_bytes"  # columns that are no gauges
EXCEPTIONS = {
    LOG_COLUMNS: LOG,
    "src/observe/monitor_rows.cpp": LOG,
    "src/telemetry/device_facts.cpp": LOG,
    "src/observe/host_usage.cpp": "read_bytes",  # in Linux's /proc
    "src/telemetry/batch_line.hpp": "esm_tokens dna_tokens budget_tokens",  # of a single batch
    "src/telemetry/metrics_file.cpp": "virus_sequences ambiguous_sequences unscored_sequences",  # with their help
    "src/report/telemetry_sections.cpp": "memory_used_bytes utilization_percent rss_bytes",  # columns, plots
    "measure/suites/benchmark_report.cpp": "sm_clock_mhz",  # a key of the benchmark's file
}

FIELDS = re.compile(r"VIRNUCPRO_FIELDS(?:_BEFORE\([^,]*,|\()([\w,\s]+)\);")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def fields_of(path):
    lists = FIELDS.findall(path.read_text())
    return {name for names in lists for name in re.findall(r"\w+", names) if "_" in name}


def breaches(root):
    gauges = fields_of(root / GAUGES)
    fields = set().union(*(fields_of(root / record) for record in RECORDS))
    for path in sorted(path for top in ("src", "measure", "program") for path in (root / top).rglob("*.[ch]pp")):
        name = path.relative_to(root).as_posix()
        wanted = (fields if name.startswith(ROOMS) else gauges) - set(EXCEPTIONS.get(name, "").split())
        if name == LOG_COLUMNS:
            wanted = wanted - gauges
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.lstrip().startswith(("//", "#include")):
                continue
            for word in re.findall(r"\w+", " ".join(TEXT.findall(line))):
                if word in wanted:
                    yield f"{name}:{number}: the field {word} is spelled again"


def main():
    found = list(breaches(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) or "fields: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

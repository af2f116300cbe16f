#!/usr/bin/env python3
"""Checks a file of `predict --trace`: it must be well-formed, the spans of a thread must nest, and
GPU work must lie within the batch that launched it. Prints the contents of each process and, for a
GPU, how busy it was after its first batches.

    tests/cli/check_trace.py TRACE.json [--kernels] [--least-busy PERCENT]

--kernels: a trace without kernels is wrong, too. Exits 1 if something is wrong.
"""

import argparse
import json
import sys
from collections import defaultdict

KINDS = {"host", "kernel", "copy", "batch"}
CLOCK_ERROR = 200  # microseconds; possible error of a GPU's fitted times
FIRST_BATCHES = 2  # they fill the pipeline


def end_of(event):
    return event["ts"] + event["dur"]


class Trace:
    def __init__(self, text):
        document = json.loads(text)
        self.about = document["otherData"]
        self.names = {}  # of processes, by id
        self.tracks = {}  # by process and track
        self.spans = []
        for event in document["traceEvents"]:
            if event["ph"] == "M":
                self.take_name(event)
            else:
                self.spans.append(event)

    def take_name(self, event):
        if event["name"] == "process_name":
            self.names[event["pid"]] = event["args"]["name"]
        else:
            assert event["name"] == "thread_name", event
            self.tracks[event["pid"], event["tid"]] = event["args"]["name"]

    def of(self, pid, *kinds):
        return [span for span in self.spans if span["pid"] == pid and span["cat"] in kinds]

    def batches(self, pid, name=None):
        return {span["args"]["batch"] for span in self.of(pid, "host")
                if "batch" in span["args"] and name in (None, span["name"])}

    def check(self):
        assert [process["pid"] for process in self.about["processes"]] == list(self.names)
        for process in self.about["processes"]:
            assert process["events"] == len(self.of(process["pid"], "host", "kernel", "copy"))
        for span in self.spans:
            check_span(span)
            assert (span["pid"], span["tid"]) in self.tracks, span
        for pid in self.names:
            check_nesting(self.of(pid, "host"))
            check_kernels(self, pid)


def check_span(span):
    assert span["ph"] == "X" and span["cat"] in KINDS and span["name"], span
    assert span["ts"] >= 0 and span["dur"] >= 0, span
    assert isinstance(span["args"], dict) and span["args"].get("batch", 0) >= 0, span


def check_nesting(spans):
    tracks = defaultdict(list)
    for span in spans:
        tracks[span["tid"]].append(span)
    for track in tracks.values():
        open_spans = []
        for span in sorted(track, key=lambda span: (span["ts"], -span["dur"])):
            while open_spans and end_of(open_spans[-1]) <= span["ts"]:
                open_spans.pop()
            if open_spans:  # times have three decimals; floats add a small error
                assert end_of(span) <= end_of(open_spans[-1]) + 1e-3, (span, open_spans[-1])
            open_spans.append(span)


def check_kernels(trace, pid):
    """A batch's kernels ran between the start of its enqueueing and the end of the wait for it."""
    begun = {span["args"]["batch"]: span["ts"] for span in trace.of(pid, "host")
             if span["name"] == "enqueue" and "batch" in span["args"]}
    done = {span["args"]["batch"]: end_of(span) for span in trace.of(pid, "host")
            if span["name"] == "wait for the GPU" and "batch" in span["args"]}
    spans = {span["args"]["batch"]: span for span in trace.of(pid, "batch")}
    for span in trace.of(pid, "kernel", "copy"):
        batch = span["args"].get("batch")
        if batch is None:
            continue
        assert begun[batch] - CLOCK_ERROR <= span["ts"], span
        assert batch not in done or end_of(span) <= done[batch] + CLOCK_ERROR, span
        if span["cat"] == "kernel":
            whole = spans[batch]
            assert whole["ts"] <= span["ts"] and end_of(span) <= end_of(whole) + 1e-3, span


def busy_share(trace, pid, *kinds):
    """The share of time that such spans cover, from batch FIRST_BATCHES to the end."""
    batches = sorted(trace.of(pid, "batch"), key=lambda span: span["ts"])[FIRST_BATCHES:]
    assert batches, "too few batches to tell how busy the GPU was"
    begin, end = batches[0]["ts"], max(end_of(span) for span in batches)
    busy, reached = 0, begin
    for span in sorted(trace.of(pid, *kinds), key=lambda span: span["ts"]):
        first, last = max(span["ts"], reached), min(end_of(span), end)
        busy += max(last - first, 0)
        reached = max(reached, last)
    return busy / (end - begin)


def tell(trace, pid):
    """Returns the GPU's busy share if the process has kernels, else nothing."""
    kernels = trace.of(pid, "kernel")
    print(f"{trace.names[pid]} (process {pid}): {len(trace.of(pid, 'host'))} spans, "
          f"{len(trace.batches(pid))} batches, {len(kernels)} kernels")
    if not trace.of(pid, "batch"):
        return None
    share = 100 * busy_share(trace, pid, "kernel", "copy")
    computing = 100 * busy_share(trace, pid, "kernel")
    loose = sum("batch" not in kernel["args"] for kernel in kernels)
    print(f"  GPU busy {share:.2f} % in steady state, {computing:.2f} % with kernels; "
          f"{loose} kernels of no batch")
    return share


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--least-busy", type=float, default=0, metavar="PERCENT")
    arguments = parser.parse_args()
    with open(arguments.trace, encoding="utf-8") as file:
        trace = Trace(file.read())
    trace.check()
    for process in trace.about["processes"]:
        cost = process["recording_seconds"] + process["cupti_seconds"]
        print(f"{process['name']}: {process['events']} events, {process['events_dropped']} dropped, "
              f"recording {1e3 * cost:.1f} ms of {trace.about['seconds']:.1f} s; "
              f"{process['kernels'] or 'no GPU'}")
    shares = [share for share in (tell(trace, pid) for pid in trace.names) if share is not None]
    if arguments.kernels and not shares:
        print("there are no kernels")
        return 1
    return 0 if all(share >= arguments.least_busy for share in shares) else 1


if __name__ == "__main__":
    sys.exit(main())

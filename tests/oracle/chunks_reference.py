"""Chunks, written a second time from the specification. Imports nothing: benchmarks on machines
without the oracle's packages use it too."""


def chunks(sequence, size):
    """[(begin, end)] of the chunks of a sequence."""
    length = len(sequence)
    count = -(-length // size)
    if count == 0:
        return []
    surplus = count * size - length
    lower = surplus // count
    need = surplus - lower * (count - 1)
    overlaps = [lower + 1 if j < need else lower for j in range(count - 1)]
    spans = []
    begin = 0
    for j in range(count):
        spans.append((begin, min(begin + size, length)))
        if j < count - 1:
            begin += size - overlaps[j]
    return spans

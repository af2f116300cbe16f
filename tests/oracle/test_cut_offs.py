"""Figures of labelled scores equal scikit-learn's and SciPy's, and the bounds of false calls hold.

The bounds are tried on simulated negatives whose true rate of false calls is known: a bound, also
one of a cut-off that was chosen by the same data, may be below the true rate in 5 % of the sets.
"""

import json
import os
import subprocess

import numpy
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

TOOL = os.path.join(os.environ["VIRNUCPRO_TOOLS"], "scores_tool")
CONFIDENCE = 0.95
REPETITIONS = 2000


def figures(sets, rate, cut_offs=(), least=0, confidence=CONFIDENCE):
    """Returns the tool's figures of each set, a tuple (scores, labels, groups)."""
    numbers = numpy.concatenate([numpy.concatenate(([len(one[0])], *one)) for one in sets])
    ran = subprocess.run([TOOL, *map(str, (rate, confidence, least, *cut_offs))],
                         input=numbers.astype(float).tobytes(), capture_output=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def upper_bound(part, whole):
    return 1.0 if part == whole else stats.beta.ppf(CONFIDENCE, part + 1, whole - part)


def random_set(source):
    """Scores with many ties, in which both labels occur."""
    size = int(source.integers(2, 1500))
    labels = source.random(size) < source.uniform(0.05, 0.95)
    labels[:2] = True, False
    scores = numpy.clip(source.normal(0.4 + 0.3 * labels, 0.3), 0, 1)
    return numpy.round(scores, int(source.integers(1, 5))), labels, numpy.full(size, -1)


def test_figures_are_those_of_scikit_learn_and_scipy():
    source = numpy.random.default_rng(1)
    sets = [random_set(source) for _ in range(60)]
    cut_offs = (0.0, 0.3, 0.5, 0.9, 1.0)
    rate = 0.1
    chosen = 0
    for (scores, labels, _), found in zip(sets, figures(sets, rate, cut_offs)):
        assert found["auc"] == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
        assert found["precision"] == pytest.approx(average_precision_score(labels, scores), abs=1e-12)
        others = scores[~labels]
        for cut_off, (_, virus, false, bound) in zip(cut_offs, found["at"]):
            assert virus == (scores[labels] >= cut_off).sum()
            assert false == (others >= cut_off).sum()
            assert bound == pytest.approx(upper_bound(false, len(others)), abs=1e-9)
        kept = [c for c in numpy.unique(scores)
                if c > 0 and upper_bound((others >= c).sum(), len(others)) <= rate]
        assert (found["smallest"] or [None])[0] == (min(kept) if kept else None)
        chosen += bool(kept)
    assert 10 < chosen < 60, "some sets have a cut-off, and some have none"


def test_ties_at_the_top_leave_no_cut_off():
    scores = numpy.array([1.0] * 30 + [0.2] * 70)
    labels = numpy.array([True] * 25 + [False] * 5 + [False] * 70)
    [found] = figures([(scores, labels, numpy.full(100, -1))], 0.01)
    assert found["smallest"] is None


def negatives(source, groups, sizes, rate, correlation):
    """Others in groups of about `sizes` sequences; None: of very different sizes. A group's chance to
    score above 0.5 is beta-distributed with mean `rate` and this intraclass correlation."""
    counts = (numpy.maximum(1, source.poisson(sizes, groups)) if sizes
              else numpy.ceil(source.lognormal(3, 1, groups)).astype(int))
    scale = (1 - correlation) / correlation if correlation else None
    chances = source.beta(rate * scale, (1 - rate) * scale, groups) if scale else [rate] * groups
    members = numpy.repeat(numpy.arange(groups), counts)
    size = len(members)
    scores = source.random(size) / 2 + 0.5 * (source.random(size) < numpy.repeat(chances, counts))
    return scores, numpy.zeros(size), members if scale else numpy.full(size, -1)


def require_coverage(held):
    """Fails if a coverage of 95 % would give so few only once in a million times."""
    chance = stats.binom.cdf(sum(held), len(held), CONFIDENCE)
    assert chance >= 1e-6, f"{sum(held)} of {len(held)} bounds hold"


@pytest.mark.parametrize("groups, sizes, correlation", [
    (300, 1, 0), (40, 20, 0.05), (40, 20, 0.3), (40, None, 0.1)])
def test_bounds_hold(groups, sizes, correlation):
    source = numpy.random.default_rng(2)
    rate = 0.05
    sets = [negatives(source, groups, sizes, rate, correlation) for _ in range(REPETITIONS)]
    require_coverage([found["at"][0][3] >= rate for found in figures(sets, rate, (0.5,))])


def test_bounds_of_all_bins_hold_together():
    """Four bins of different sizes and rates, each with a confidence of 1 - 0.05 / 4."""
    source = numpy.random.default_rng(4)
    bins = ((500, 0.02), (120, 0.05), (60, 0.1), (20, 0.01))
    together = [True] * REPETITIONS
    for size, rate in bins:
        sets = [negatives(source, size, 1, rate, 0) for _ in range(REPETITIONS)]
        found = figures(sets, rate, (0.5,), confidence=1 - (1 - CONFIDENCE) / len(bins))
        together = [held and one["at"][0][3] >= rate for held, one in zip(together, found)]
    require_coverage(together)


@pytest.mark.parametrize("groups, sizes, correlation", [(200, 1, 0), (120, 10, 0.1)])
def test_a_chosen_cut_off_keeps_the_rate(groups, sizes, correlation):
    """Others score above 0.5 with a chance of 0.2, and above c > 0.5 with one of 0.2 · 2 (1 - c)."""
    source = numpy.random.default_rng(3)
    rate = 0.05
    sets = [negatives(source, groups, sizes, 0.2, correlation) for _ in range(REPETITIONS)]
    chosen = [found["smallest"] for found in figures(sets, rate)]
    assert sum(one is not None for one in chosen) > REPETITIONS / 2
    assert all(one is None or one[3] <= rate for one in chosen)
    require_coverage([one is None or 0.4 * (1 - one[0]) <= one[3] for one in chosen])


def test_chosen_cut_offs_of_all_bins_keep_the_rate_together():
    source = numpy.random.default_rng(6)
    rate, sizes = 0.05, (400, 250, 150)
    together = [True] * REPETITIONS
    for size in sizes:
        sets = [negatives(source, size, 1, 0.2, 0) for _ in range(REPETITIONS)]
        found = figures(sets, rate, confidence=1 - (1 - CONFIDENCE) / len(sizes))
        assert sum(one["smallest"] is not None for one in found) > REPETITIONS / 2
        together = [held and (one["smallest"] is None or 0.4 * (1 - one["smallest"][0]) <= one["smallest"][3])
                    for held, one in zip(together, found)]
    require_coverage(together)


def test_a_chosen_cut_off_keeps_its_bound_with_ties():
    """Scores are 0, 0.1 … 1; the bound of the chosen cut-off by itself holds in 94.5 % of such sets."""
    source = numpy.random.default_rng(5)
    sets = [(numpy.round(source.random(60), 1), numpy.zeros(60), numpy.full(60, -1)) for _ in range(40000)]
    chosen = [found["smallest"] for found in figures(sets, 0.3)]
    require_coverage([one is None or 1.05 - one[0] <= one[3] for one in chosen])

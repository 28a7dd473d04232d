"""Scores of coreference chains: the reference scorer's own published cases, literal definitions, properties."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.discourse.evaluation.measures.coreference import conll_f1, score_chains, without_singletons
from discourse_nmt.discourse.evaluation.measures.counts import Counts, total

Chains = list[set[str]]


def chains(text: str) -> Chains:
    """``a bc`` is the chain of a and the chain of b and c."""
    return [set(word) for word in text.split()]


# Recall and precision that the reference scorer (github.com/conll/reference-coreference-scorers, version 8) publishes
# in test/TestCases.README and test/CorefMetricTestConfig.pm. Upper case is another mention than lower case; duplicates
# (cases A7 to A9) are written as the list of their chains' mentions.
CASES = {
    "A1": ("a bc def", "a bc def", {"MUC": ("1", "1"), "B3": ("1", "1"), "CEAFe": ("1", "1")}),
    "A2": ("a bc def", "a de", {"MUC": ("1/3", "1"), "B3": ("7/18", "1"), "CEAFe": ("3/5", "9/10")}),
    "A3": ("a bc def", "a bcx defy z", {"MUC": ("1", "3/5"), "B3": ("1", "55/108"), "CEAFe": ("31/35", "93/140")}),
    "A4": ("a bc def", "a bcx dy z", {"MUC": ("1/3", "1/3"), "B3": ("5/9", "17/42"), "CEAFe": ("11/15", "11/20")}),
    "A5": ("a bc def", "a bcxB dy z", {"MUC": ("1/3", "1/4"), "B3": ("5/9", "5/16"), "CEAFe": ("31/45", "31/60")}),
    "A6": ("a bc def", "a bcx dy Bz", {"MUC": ("1/3", "1/4"), "B3": ("5/9", "17/48"), "CEAFe": ("11/15", "11/20")}),
    "A7": ("a bc def", "a bcxb dy z", {"MUC": ("1/3", "1/3"), "B3": ("5/9", "17/42"), "CEAFe": ("11/15", "11/20")}),
    "A8": ("a bc def", "a bcx dy bz", {"MUC": ("1/3", "1/3"), "B3": ("5/9", "17/42"), "CEAFe": ("11/15", "11/20")}),
    "A9": ("a bc def", "a bcx dy bbbbz", {"MUC": ("1/3", "1/3"), "B3": ("5/9", "17/42"), "CEAFe": ("11/15", "11/20")}),
    "A10": ("a bc def", "a b c d e f", {"MUC": ("0", "0"), "B3": ("1/2", "1")}),
    "A11": ("a bc def", "abcdef", {"MUC": ("1", "3/5"), "B3": ("1", "7/18")}),
    "A12": ("a bc def", "a x y c d e z", {"MUC": ("0", "0"), "B3": ("13/36", "4/7")}),
    "A13": ("a bc def", "axycdez", {"MUC": ("1/3", "1/6"), "B3": ("17/36", "6/49")}),
    "D1": ("12345 67 89ABC", "12345 6789ABC", {"MUC": ("1", "9/10"), "B3": ("1", "16/21")}),
    "E1": ("12345 67 89ABC", "1234589ABC 67", {"MUC": ("1", "9/10"), "B3": ("1", "7/12")}),
    "F1": ("ABCD", "AB CD", {"MUC": ("2/3", "1")}),
    "G1": ("AB CD", "ABCD", {"MUC": ("1", "2/3")}),
    "H1": ("ABCD", "ABCD", {"MUC": ("1", "1")}),
    "J1": ("ABC", "AC", {"MUC": ("1/2", "1")}),
    "K1": ("BCDEGHJ", "ABC DEF GHI", {"MUC": ("1/2", "1/2")}),
    "L1": ("ABC DEFG", "AB CD FGH", {"MUC": ("2/5", "1/2")}),
    "M1": ("abcdef", "abcdef", {"MUC": ("1", "1"), "B3": ("1", "1"), "CEAFe": ("1", "1")}),
    "M2": ("abcdef", "a b c d e f", {"MUC": ("0", "0")}),
    "M5": ("abcdef", "a b c x y z", {"MUC": ("0", "0")}),
    "N1": ("a b c d e f", "a b c d e f", {"MUC": ("0", "0"), "B3": ("1", "1"), "CEAFe": ("1", "1")}),
    "N4": ("a b c d e f", "a b c x y z", {"MUC": ("0", "0")}),
}


@pytest.mark.parametrize("case", CASES)
def test_published_cases_of_the_reference_scorer(case: str) -> None:
    key, response, expected = CASES[case]
    found = score_chains([list(word) for word in key.split()], [list(word) for word in response.split()])
    for name, (recall, precision) in expected.items():
        left, right = 100 * float(Fraction(recall)), 100 * float(Fraction(precision))
        assert found[name].recall == pytest.approx(left)
        assert found[name].precision == pytest.approx(right)
        assert found[name].f1 == pytest.approx(2 * left * right / (left + right) if left + right else 0)


def chain_of(mention: str, partition: Chains) -> set[str]:
    return next((chain for chain in partition if mention in chain), {mention})


def literal_muc(key: Chains, response: Chains) -> Fraction | None:
    right = sum(len(chain) - len({frozenset(chain_of(one, response) & chain) for one in chain}) for chain in key)
    links = sum(len(chain) - 1 for chain in key)
    return Fraction(right, links) if links else None


def literal_b3(key: Chains, response: Chains) -> Fraction:
    mentions = [(mention, chain) for chain in key for mention in chain]
    known = set().union(*response)
    shared = [
        Fraction(len(chain & chain_of(mention, response)), len(chain)) if mention in known else Fraction(0)
        for mention, chain in mentions
    ]
    return sum(shared, Fraction(0)) / len(mentions)


def literal_ceaf(key: Chains, response: Chains) -> Fraction:
    """The best of all one-to-one alignments, tried one by one."""
    padded = response + [set()] * len(key)
    return max(
        sum(
            (Fraction(2 * len(left & right), len(left) + len(right)) for left, right in zip(key, order)),
            Fraction(0),
        )
        for order in permutations(padded, len(key))
    )


@st.composite
def partitions(draw: st.DrawFn) -> Chains:
    numbers = draw(st.lists(st.integers(0, 3), min_size=8, max_size=8))  # 0 leaves a mention out
    found = [{name for name, number in zip("abcdefgh", numbers) if number == chosen} for chosen in (1, 2, 3)]
    return [chain for chain in found if chain] or [{"z"}]


@settings(max_examples=150, deadline=None)
@given(partitions(), partitions())
def test_scores_are_their_literal_definitions(key: Chains, response: Chains) -> None:
    found = score_chains(key, response)
    for left, right, share in ((key, response, "recall"), (response, key, "precision")):
        muc = literal_muc(left, right)
        assert getattr(found["MUC"], share) == pytest.approx(100 * float(muc or 0))
        assert getattr(found["B3"], share) == pytest.approx(100 * float(literal_b3(left, right)))
    best = literal_ceaf(key, response)
    assert found["CEAFe"].recall == pytest.approx(100 * float(best / len(key)))
    assert found["CEAFe"].precision == pytest.approx(100 * float(best / len(response)))


def test_the_best_alignment_may_leave_chains_without_a_partner() -> None:
    """Two chains that share six mentions are aligned, though both of the others are left over."""
    key, response = chains("abcdefx y"), chains("x abcdefy")
    best = literal_ceaf(key, response)
    assert best == Fraction(12, 14) > 2 * Fraction(2, 8)
    assert score_chains(key, response)["CEAFe"].recall == pytest.approx(100 * float(best / 2))


@settings(max_examples=50, deadline=None)
@given(partitions(), partitions(), partitions(), partitions())
def test_documents_add_up(key: Chains, response: Chains, more: Chains, found: Chains) -> None:
    """Counts of two documents are the counts of both as one, which is how the reference scorer reads a file."""
    apart = total([score_chains(key, response), score_chains(more, found)])
    marked_key = [{(1, name) for name in one} for one in key] + [{(2, name) for name in one} for one in more]
    marked = [{(1, name) for name in one} for one in response] + [{(2, name) for name in one} for one in found]
    together = score_chains(marked_key, marked)
    for name, counts in together.items():
        assert (apart[name].recall, apart[name].precision) == pytest.approx((counts.recall, counts.precision))


def test_conll_f1_is_the_mean_and_perfect_for_equal_chains() -> None:
    found = score_chains(chains("a bc def"), chains("a bcx dy z"))
    assert conll_f1(found) == pytest.approx((found["MUC"].f1 + found["B3"].f1 + found["CEAFe"].f1) / 3)
    assert conll_f1(score_chains(chains("ab cde"), chains("cde ab"))) == pytest.approx(100)


def test_nothing_predicted_is_nothing_found() -> None:
    found = score_chains(chains("ab cde"), [])
    assert {name: (count.recall, count.precision, count.f1) for name, count in found.items()} == dict.fromkeys(
        ("mention", "MUC", "B3", "CEAFe"), (0, 0, 0)
    )
    assert all(count.empty for count in score_chains([], []).values())


def test_singletons_are_left_out_by_distinct_mentions() -> None:
    assert without_singletons([["a"], ["b", "b"], ["c", "d"]]) == [["c", "d"]]


def test_counts_without_anything_are_zero() -> None:
    assert (Counts().precision, Counts().recall, Counts().f1, Counts().empty) == (0, 0, 0, True)

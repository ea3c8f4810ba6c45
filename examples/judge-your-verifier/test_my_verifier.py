"""The verifier keeps the target's law on every small tree, in exact arithmetic; and these tests can fail."""

import my_faulty_verifier
import my_verifier
import pytest
from hypothesis import given, settings

from tevtheory.conformance import judge_on
from tevtheory.strategies import problems
from tevtheory.verdicts import Verdict


@pytest.mark.tevtheory(max_nodes=4)
def test_my_verifier_is_canonical(assert_canonical):
    assert_canonical(my_verifier.VERIFIER)


@pytest.mark.tevtheory(max_nodes=3, patterns=["zeros"])
def test_my_verifier_survives_zeros_and_exhausted_rows(judge_verifier):
    assert judge_verifier(my_verifier.VERIFIER).verdict is Verdict.CANONICAL


@settings(deadline=None, max_examples=30)
@given(problems(max_nodes=5))
def test_my_verifier_is_canonical_on_any_tree(problem):
    assert judge_on(my_verifier.VERIFIER, problem).verdict is Verdict.CANONICAL


def test_the_fault_is_found(assert_exact):
    with pytest.raises(AssertionError, match="LOSSY BY"):
        assert_exact(my_faulty_verifier.VERIFIER)

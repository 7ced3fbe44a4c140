"""The verdict of an experiment is read off what came out; a check that cannot fail counts against us."""

from dataclasses import replace

from verification.experiments import experiment, perform
from verification.experiments.record import (
    FAILED,
    MISSING,
    NEW,
    REPRODUCED,
    SHAPE,
    Agreement,
    Amount,
    Comparison,
    Findings,
    Shape,
    verdict,
)

PRINTED = experiment("brosse2018.figure1")
OURS = experiment("new.bias_against_step")
RIGHT = Agreement("a mean", Amount(1.0, 0.1), Amount(1.05, 0.0, "exact"))
NUMBER = Comparison("slope", "2", Amount(2.1, 0.1))
GROWS = Shape("it grows", "1, 2", True, "the numbers reversed", False)


def test_a_statement_that_also_holds_of_spoilt_numbers_shows_nothing():
    assert verdict(PRINTED, Findings((), (NUMBER,), shapes=(GROWS,)))[0] == REPRODUCED
    word, sentence = verdict(PRINTED, Findings((), (NUMBER,), shapes=(replace(GROWS, twin_holds=True),)))
    assert word == FAILED
    assert "also holds of the numbers reversed" in sentence
    false = replace(GROWS, holds=False, twin_holds=True)  # it was seen to fail: that shows something
    assert verdict(PRINTED, Findings((), (NUMBER,), shapes=(false,)))[0] == MISSING


def test_a_figure_of_ours_needs_numbers_held_against_exact_ones():
    assert verdict(OURS, Findings((), agreements=(RIGHT,)))[0] == NEW
    assert verdict(OURS, Findings(()))[0] == FAILED
    wrong = replace(RIGHT, exact=Amount(1.2, 0.0, "exact"))
    assert verdict(OURS, Findings((), agreements=(RIGHT, wrong)))[0] == FAILED


def test_printed_numbers_and_shapes_decide():
    far = replace(NUMBER, printed="3")
    assert verdict(PRINTED, Findings((), (NUMBER, far), shapes=(GROWS,)))[0] == SHAPE
    assert verdict(PRINTED, Findings((), (NUMBER, far)))[0] == MISSING


def test_who_asks_is_told_which_part_is_made(monkeypatch):
    told = []
    tiny = replace(OURS, run=lambda job: (job.part("one", dict), Findings((), agreements=(RIGHT,)))[1])
    monkeypatch.setattr("verification.experiments.experiment", lambda name: tiny)
    assert perform(OURS.name, tell=lambda words, done: told.append(words), keep=False).word == NEW
    assert told == ["one"]

"""The same by name for texts, finished runs and advice: what was a traceback, a hang or a silence."""

import io
import json
from time import process_time

import numpy as np
import pytest

from sgtheory.reader import limits
from tests.hostile.test_named import GOOD, said
from tests.hostile.trial import Case, run
from verification.judging.judge import Plan, judge
from verification.library import gather
from verification.texts import text

TABLE = "| letter | kind |\n| --- | --- |\n| h | positive |\n\n"
GOOD_CLAIM = "\n\n**Claim 99.** h < 2 h\n"
P = json.dumps({**GOOD, "params": {"eps": "1/5", "mu": "1/2"}}).encode()


@pytest.mark.parametrize(
    ("suffix", "written"),
    [
        (".md", "```sampler a\nthe velocity of the state is moved by its gradient\n```"),
        (".md", "```sampler a\n" + "a" * 3_000 + "\n```"),
        (".md", "**Claim 1" + " " * 200_000 + "x"),
        (".md", " " * 200_000 + "x"),
        (".tex", "\\begin{claim}" * 60_000),
        (".tex", "\\begin{claim}[" * 60_000),
        (".tex", "\\textbf{Claim 1" + " " * 200_000),
        (".tex", "%" * 200_000 + "\\" * 200_000),
        (".md", "h < 1\n" * 100_000),
    ],
    ids=lambda part: part[:24],
)
def test_a_text_is_read_in_a_moment(tmp_path, suffix, written):
    (tmp_path / "first.md").write_text(TABLE + GOOD_CLAIM)
    gather((str(tmp_path / "first.md"),))  # after which the grammar is there
    path = tmp_path / f"notes{suffix}"
    path.write_text((TABLE if suffix == ".md" else "") + written + GOOD_CLAIM, "utf-8")
    began = process_time()
    gather((str(path),))
    assert process_time() - began < 3


def test_a_text_has_a_stated_size(tmp_path):
    (tmp_path / "notes.md").write_text(TABLE + "h < 1\n" * (text.PIECES + 1) + GOOD_CLAIM)
    (error,) = gather((str(tmp_path / "notes.md"),)).errors
    assert "at most 2,000 statements" in str(error)


def test_what_a_text_says_does_not_control_the_terminal(tmp_path):
    written = TABLE + "**Claim 1** (Eq. \x1b]0;title\x07 \u202e3). *A \u2066 title\x9b*: h < 2 h\n"
    (tmp_path / "notes.md").write_text(written, "utf-8")
    (claim,) = gather((str(tmp_path / "notes.md"),)).claims
    assert claim.title.isprintable()
    assert claim.at.isprintable()


def _parquet(**columns):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    made = io.BytesIO()
    parquet.write_table(arrow.table(columns), made)
    return made.getvalue()


def _audit(folder, *more, **files):
    (name,) = files
    words = ("audit-run", name.replace("__", "."), "--problem", "p.json", "--like", "sgd", *more)
    return said(folder, *words, **files, p__json=P)


def _npy(array):
    made = io.BytesIO()
    np.save(made, array)
    return made.getvalue()


def test_tables_that_are_no_runs(tmp_path):
    none = {"chain": [], "step": [], "state": [], "coordinate": [], "value": []}
    assert "no rows" in _audit(tmp_path, a__parquet=_parquet(**none))
    assert "no rows" in _audit(tmp_path, a__parquet=_parquet(x=[]))
    odd = _parquet(x=[1.0, 2.0], chain=[1, None])
    assert "every row of chain" in _audit(tmp_path, a__parquet=odd)
    mixed = _parquet(x=[1.0, 2.0], draw=["a", None])
    assert "every row of draw" in _audit(tmp_path, a__parquet=mixed)


def test_a_small_file_with_too_many_rows_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "NUMBERS", 999)
    assert "at most 999 numbers" in _audit(tmp_path, a__parquet=_parquet(x=[0.0] * 1000))


def test_an_inference_data_without_draws(tmp_path):
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("h5netcdf")
    made = io.BytesIO()
    with h5py.File(made, "w") as file:
        one = file.create_group("posterior").create_dataset("theta", data=np.zeros((4, 0, 2)))
        for k, name in enumerate(("chain", "draw", "d")):
            scale = file["posterior"].create_dataset(name, data=np.arange(one.shape[k]))
            scale.make_scale(name)
            one.dims[k].attach_scale(scale)
    assert "shape (4, 0, 2)" in _audit(tmp_path, a__nc=made.getvalue())
    with h5py.File(made := io.BytesIO(), "w") as file:  # dimensions without names
        file.create_group("posterior").create_dataset("theta", data=np.zeros((4, 9, 2)))
    assert "dimensions chain and draw" in _audit(tmp_path, a__nc=made.getvalue())


def test_columns_of_draws_stand_side_by_side(tmp_path):
    made = io.BytesIO()
    source = np.random.default_rng(1)
    np.savez(made, a=source.normal(size=300), b=source.normal(size=300))
    problem = {"hessian": [[2, 0], [0, 1]], "noise": [[1, 0], [0, 1]], "S": 4, "params": {"eps": "1/5"}}
    files = {"a.npz": made.getvalue(), "p.json": json.dumps(problem).encode()}
    words = ("audit-run", "a.npz", "--problem", "p.json", "--like", "sgd", "--state", "a,b")
    outcome = run(Case("finished", words, files), tmp_path)
    assert (outcome.word, outcome.fault) == ("answered", "")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--mode", "1e9999999999"), "in range"),
        (("--mode", "1,2,3"), "1 numbers for the mode"),
        (("--false-alarm", "nan"), "no number"),
    ],
)
def test_options_of_audit_run(tmp_path, more, told):
    assert told in _audit(tmp_path, *more, a__npy=_npy(np.zeros((300, 1))))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--of", "1e9999999999"), "in range for a functional"),
        (("--of", "0"), "not all zero"),
        (("--care", "quadratic", "--of", "1;nan"), "finite number for a functional"),
        (("--care", "quadratic", "--of", "1,2;3"), "a symmetric matrix"),
        (("--fix", "eps=1e9999999999"), "in range for eps"),
        (("--fix", "eps=nan"), "finite number for eps"),
        (("--fix", "eps=-1"), "a positive eps"),
        (("--fix", "eps=1", "--fix", "eps=1/2"), "one value for eps"),
    ],
)
def test_options_of_advise(tmp_path, more, told):
    words = ("advise", "--problem", "p.json", "--passes", "10", "--samplers", "sgd", *more)
    assert told in said(tmp_path, *words, p__json=P)


@pytest.mark.parametrize("option", ["--false-alarm", "--limit", "--minutes"])
def test_no_number_is_none_of_a_range(tmp_path, option):
    assert "no number" in said(tmp_path, "check", "own.py:step", option, "nan")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("advise", "--problem", "p.json", "--passes", "9", "--chains", "500"),
            "--check beside --chains",
        ),
        (("verify", "sgd", "--at", "3"), "--problem beside --at"),
        (
            ("verify", "sgd", "--problem", "p.json", "--false-alarm", "0.1"),
            "which --false-alarm is about",
        ),
        (("check", "own.py:step", "--fix", "a=1"), "--like SAMPLER beside --fix"),
        (("advise", "--problem", "q.json", "--passes", "9"), "did you mean 'eps'"),
    ],
)
def test_what_nothing_reads_is_refused(tmp_path, words, told):
    typo = json.dumps({**GOOD, "params": {"epz": 1}}).encode()
    assert told in said(tmp_path, *words, p__json=P, q__json=typo)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("law", "sgd"), "sgd does not read mu"),
        (
            ("simulate", "sgd", "--chains", "64", "--steps", "2", "--device", "cpu"),
            "sgd does not read mu",
        ),
        (("tune", "sgd", "--only", "eps"), "sgd does not read mu"),
        (("advise", "--passes", "9", "--samplers", "sgd"), "eps, mu of the problem are not read"),
        (("law", "momentum"), ""),
    ],
)
def test_letters_for_other_samplers_are_told(tmp_path, words, told):
    outcome = run(Case("advised", (*words, "--problem", "p.json"), {"p.json": P}), tmp_path)
    assert (outcome.word, outcome.fault) == ("answered", "")
    assert told in outcome.line
    assert bool(told) == bool(outcome.line)


DATA = {"model": "linear_regression", "X": [[1, 0], [0, 1], [1, 2], [3, 1]], "y": [1, 2, 0, 1], "S": 2}
DATA |= {"ridge": "1/2", "sigma2": 1, "replacement": False}


@pytest.mark.parametrize(
    "how", [("--passes", "10", "--fix", "eps=1e-3"), ("--seconds", "3")], ids=" ".join
)
def test_letters_that_are_names_of_functions_and_minibatches_of_all_examples(tmp_path, how):
    """SymPy takes gamma, of which eps is two, for a function; without replacement S = N has no noise."""
    files = {"p.json": json.dumps(DATA).encode()}
    outcome = run(Case("advised", ("advise", "--problem", "p.json", *how), files, most=60.0), tmp_path)
    assert (outcome.word, outcome.fault) == ("answered", "")


def test_durations_are_no_positions(tmp_path):
    made = io.BytesIO()
    np.savez(made, a=np.ones((4, 1)), b=np.ones((4, 1)).astype("m8[s]"))
    words = ("audit-run", "run.npz", "--problem", "p.json", "--state", "a,b")
    assert "real numbers" in said(tmp_path, *words, run__npz=made.getvalue(), p__json=P)


@pytest.mark.parametrize("kind", ["sampler", "claim", "problem", "test"])
@pytest.mark.parametrize("name", ["", " ", ".", ".."])
def test_a_first_file_has_a_name(tmp_path, kind, name):
    assert "name" in said(tmp_path, "new", kind, name)


@pytest.mark.parametrize("option", ["--junit", "--sarif", "--badge", "--page", "--against"])
def test_a_place_has_a_name(tmp_path, option):
    assert "got nothing" in said(tmp_path, "check", "own.py:step", "--like", "sgd", option, "")


def test_a_condition_that_is_of_matrices_has_no_opposite(tmp_path):
    """Both sides of an if and only if are turned about where each has an opposite, and never else."""
    (tmp_path / "notes.md").write_text(TABLE + "**Claim 1.** h != 1 if and only if h != 1/A\n")
    (claim,) = gather((str(tmp_path / "notes.md"),)).claims
    assert not judge(claim, Plan("quick", "cpu", 1, 1e-6)).broken


def test_an_array_alone_has_no_names(tmp_path):
    made = _npy(np.zeros((300, 1)))
    assert "no --state beside a.npy" in _audit(tmp_path, "--state", "x" * 5000, a__npy=made)


def test_what_cannot_move_alone_is_told_in_a_line(tmp_path):
    """It was a KeyError of the place, which has no second value of b."""
    rows = "| a, b | real |\n| Y | random sequence |\n| n | whole number |\n\n"
    written = "**Claim 1.** one pair (a, b) alone minimises (Y_n - b)^2\n"
    (tmp_path / "notes.md").write_text(TABLE.rstrip() + "\n" + rows + written)
    (claim,) = gather((str(tmp_path / "notes.md"),)).claims
    told = judge(claim, Plan("quick", "cpu", 1, 1e-6)).broken.error
    assert "letters that can move alone" in told
    assert len(told) < 400

"""Whatever has a ``to_json`` shows itself: found by scanning, and looked at where it arises."""

import ast
import dataclasses
import importlib
from pathlib import Path

import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.notation.display import Shown
from sgtheory.setting import Setting
from tests.sgtheory.test_display import CONTENT

ROOT = Path(__file__).parents[2]
# Parts of claims and problems: kept verdicts go by their whole repr, so it may not be cut.
WHOLE = {"Problem", "Amount", "Sample", "Place"}


def scanned():
    """All classes that can say what they hold without being asked anything more."""
    for room in ("sgtheory", "simulators", "verification", "reports"):
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text("utf-8")
            for node in ast.parse(text).body if "to_json" in text else ():
                if isinstance(node, ast.ClassDef) and _is_result(node):
                    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                    yield name.removesuffix(".__init__"), node.name


def _is_result(node):
    methods = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "to_json"]
    return bool(methods) and len(methods[0].args.args) == 1 and node.name != "Shown"


RESULTS = list(scanned())


@pytest.mark.parametrize(("module", "name"), RESULTS)
def test_every_result_shows_itself(module, name):
    kind = getattr(importlib.import_module(module), name)
    assert hasattr(kind, "_repr_html_") or hasattr(kind, "_repr_latex_")
    own = kind.__repr__ is Shown.__repr__ or "__repr__" in ast.unparse(_source(module, name))
    assert own != (name in WHOLE)


def _source(module, name):
    path = ROOT / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    (found,) = (n for n in ast.parse(path.read_text("utf-8")).body
                if isinstance(n, ast.ClassDef) and n.name == name)  # fmt: skip
    return found


def test_the_scan_sees_what_there_is():
    assert len(RESULTS) > 25
    assert {"NumericLaw", "Ensemble", "Verdict", "Conformance", "Tuning"} <= {n for _, n in RESULTS}


def inside(value, seen):
    """All results in a result."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, list | tuple):
        for part in value:
            yield from inside(part, seen)
    elif isinstance(value, dict):
        yield from inside(list(value.values()), seen)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "to_json"):
            yield value
        for field in dataclasses.fields(value):
            yield from inside(getattr(value, field.name, None), seen)


@pytest.fixture(scope="module")
def met():
    """Results as they arise."""
    from simulators import simulate
    from simulators.trace import trace
    from verification.judging.judge import judge, plans
    from verification.library import select
    from verification.verdicts.differences import Change

    problem = sg.Problem.of(CONTENT)
    sgd = registry.sampler("sgd")
    setting = Setting(sgd, problem.model)
    values = problem.values(sgd)
    first = [problem, sg.derive("sgd").derivation(), sg.law("sgd", problem), sg.tune("sgd", problem)]
    first += [simulate(setting, values, chains=64, steps=2, device="cpu", seed=1)]
    first += [trace(setting, values, chains=2, steps=3, device="cpu", seed=1)]
    first += [Change("mandt2017.eq13", "verdict", "proved", "refuted")]
    first += [judge(*planned) for planned in plans(select(["brosse2018.thm4.units"]), seed=1)]
    return list(inside(first, set()))


def test_results_are_one_short_line_and_a_table(met):
    assert len({type(result).__name__ for result in met}) >= 12
    for result in met:
        name = type(result).__name__
        assert "\n" not in repr(result)
        assert name in WHOLE or len(repr(result)) <= 112, repr(result)
        text = result._repr_html_()
        assert text.startswith("<table><caption>")
        assert "<script" not in text


def test_words_in_a_result_cannot_become_markup():
    class Evil(Shown):
        def to_json(self):
            return {"<script>": "<script>alert(1)</script>"}

    assert "<script" not in Evil()._repr_html_()


@pytest.mark.long
def test_no_claim_holds_what_is_cut():
    from verification.library import all_claims

    cut = [f"<{name}: " for _, name in RESULTS if name not in WHOLE]
    assert not [c.id for c in all_claims() if any(words in repr(c) for words in cut)]

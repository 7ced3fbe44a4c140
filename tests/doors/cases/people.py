"""Python as people write it."""

from __future__ import annotations

import json

from tests.doors.case import Case, Step, python

EXACT = json.dumps(
    {"model": "quadratic", "hessian": [[2]], "noise": [[3]], "N": 10, "S": 2, "params": {"eps": "1/4"}}
)


def said(
    name: str, title: str, *lines: str, has: tuple[str, ...] = (), files: dict[str, str] | None = None
) -> Case:
    """A script that must come to its end."""
    made, step = python(*lines)
    step = Step(step.command, has=(*step.has, *has))
    return Case(f"python.{name}", title, (step,), {**made, **(files or {})})


def problem(
    hessian: str, noise: str, *before: str, eps: str = '"1/4"', rest: str = "N=10, S=2"
) -> tuple[str, ...]:
    """The lines that make a problem of such matrices, and hold the variance of SGD to 1/8."""
    return (
        "import sgtheory as sg",
        *before,
        f'made = sg.Problem.of(dict(model="quadratic", hessian={hessian}, '
        f"noise={noise}, {rest}, params=dict(eps={eps})))",
        'found = sg.derive("sgd").at(made).covariance["theta", "theta"][0][0]',
        "assert abs(float(found) - 0.125) < 1e-12, found",
    )


CASES = (
    said("lists", "a problem of lists", *problem("[[2]]", "[[3]]")),
    said(
        "arrays",
        "a problem of NumPy arrays",
        *problem("np.array([[2.0]])", "np.array([[3]])", "import numpy as np"),
    ),
    said(
        "array_numbers",
        "NumPy numbers as parameters",
        *problem(
            "[[2]]",
            "[[3]]",
            "import numpy as np",
            eps="np.float64(0.25)",
            rest="N=np.int64(10), S=np.int32(2)",
        ),
    ),
    said(
        "sympy",
        "SymPy numbers and matrices",
        *problem("sp.Matrix([[2]])", "[[sp.Integer(3)]]", "import sympy as sp", eps="sp.Rational(1, 4)"),
    ),
    said(
        "fractions",
        "fractions, decimals and tuples",
        *problem(
            "((Fraction(2),),)",
            '((Decimal("3.0"),),)',
            "from decimal import Decimal",
            "from fractions import Fraction",
            eps="Fraction(1, 4)",
        ),
    ),
    said(
        "pandas",
        "a data frame",
        *problem("pd.DataFrame([[2.0]])", "pd.DataFrame([[3.0]])", "import pandas as pd"),
    ),
    said(
        "data_arrays",
        "data of NumPy arrays: least squares",
        "import numpy as np",
        "import sgtheory as sg",
        "rng = np.random.default_rng(0)",
        "X, y = rng.normal(size=(8, 2)), rng.normal(size=8)",
        'made = sg.Problem.of(dict(model="linear_regression", X=X, y=y, '
        "ridge=1, S=2, replacement=True, params=dict(eps=0.01)))",
        'print(sg.derive("sgd").at(made).covariance["theta", "theta"])',
    ),
    said(
        "problem_gives_back",
        "a correlated problem from arrays agrees with the Lyapunov solution to first order",
        "import numpy as np",
        "import sgtheory as sg",
        "from scipy.linalg import solve_discrete_lyapunov",
        "A, C = np.array([[2.0, 1.0], [1.0, 1.5]]), np.array([[1.0, 0.25], [0.25, 2.0]])",
        "eps, S = 0.1, 4",
        'made = sg.Problem.of({"model": "quadratic", "hessian": A, '
        '"noise": C, "N": 40, "S": S, "params": {"eps": eps}})',
        'found = np.array(sg.derive("sgd").at(made).covariance["theta", "theta"], dtype=float)',
        "M = np.eye(2) - eps * A",
        "assert np.allclose(found, solve_discrete_lyapunov(M, eps**2 * C / S))",
    ),
    said(
        "dir",
        "dir(sg) shows what README names, and the package is typed",
        "import sgtheory as sg",
        "from importlib.resources import files",
        'missing = {"derive", "tune", "samplers", "read_problem", '
        '"Problem", "registry", "load"} - set(dir(sg))',
        "assert not missing, missing",
        'assert {"momentum", "sgld", "sgd"} <= set(dir(sg.samplers)), dir(sg.samplers)',
        'assert files("sgtheory").joinpath("py.typed").is_file()',
    ),
    said(
        "print",
        "results print as something a person reads",
        "import sgtheory as sg",
        'law = sg.derive("momentum")',
        "for thing in (law, law.covariance, law.stability, "
        "law.covariance.pair, law.covariance.series('eps', 2)):",
        "    text = repr(thing)",
        "    assert len(text) < 2000 and ' object at 0x' not in text and text, text[:200]",
        "    print(thing)",
        f"open('p.json', 'w').write({EXACT!r})",
        "problem = sg.read_problem('p.json')",
        "numbers = sg.derive('sgd').at(problem)",
        "assert ' object at 0x' not in repr(numbers) and '0.125' in "
        "str(numbers) or '1/8' in str(numbers), str(numbers)",
        "print(sg.tune('sgd', problem))",
    ),
    said(
        "latex",
        "sp.latex of formulas has Greek letters",
        "import sympy as sp",
        "import sgtheory as sg",
        'law = sg.derive("momentum")',
        "text = sp.latex(law.covariance.pair)",
        r"assert '\\lambda' in text and ('\\epsilon' in text or "
        r"'\\varepsilon' in text) and '\\mu' in text, text",
        "text = sp.latex(law.stability.limit)",
        r"assert '\\lambda' in text and '\\mu' in text, text",
    ),
    said(
        "formula",
        "the formula of a pair can be used: at equal curvatures it is the AR(1)'s variance",
        "import sympy as sp",
        "import sgtheory as sg",
        'pair = sg.derive("sgd").covariance.pair',
        "names = {str(s): s for s in pair.free_symbols}",
        "print(names)",
        "assert 'eps' in names, names",
        "first = sg.derive('sgd').covariance.series('eps', 1)",
        "assert first.has(names['eps'])",
    ),
    said(
        "errors",
        "a wrong name in Python is one exception with a suggestion",
        "import sgtheory as sg",
        "try:",
        '    sg.derive("momentun")',
        "except Exception as error:",
        "    assert 'momentum' in str(error) and '\\n' not in str(error), str(error)",
        "else:",
        "    raise SystemExit('derived it')",
        "try:",
        "    sg.samplers.momentun",
        "except AttributeError as error:",
        "    assert 'momentum' in str(error), str(error)",
        "try:",
        "    sg.Problem.of({'model': 'quadratic', 'hesian': [[1]]})",
        "except Exception as error:",
        "    assert 'hessian' in str(error), str(error)",
    ),
    said(
        "law_json",
        "law shows the posterior beside the law: A^-1/N = 1/20 and 0.125",
        "import subprocess",
        f"open('p.json', 'w').write({EXACT!r})",
        "out = subprocess.run(['sgtheory', 'law', 'sgd', '--problem', "
        "'p.json'], capture_output=True, text=True).stdout",
        "assert '0.125' in out or '1/8' in out, out",
        "assert '0.05' in out or '1/20' in out, out",
        "assert '2.5' in out or '5/2' in out, out",
    ),
    said(
        "notebook",
        "results display in a notebook",
        "import sgtheory as sg",
        'law = sg.derive("sgd")',
        "assert '\\\\' in (getattr(law, '_repr_latex_', lambda: '')() "
        "or getattr(law, '_repr_html_', lambda: '')())",
    ),
)

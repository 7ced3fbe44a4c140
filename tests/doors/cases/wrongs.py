"""Wrong names, wrong files, wrong numbers: one line that says what was expected, and status 2."""

from __future__ import annotations

import json
from typing import Any

from tests.doors.case import Case, Step, wrong

GOOD: dict[str, Any] = {
    "model": "quadratic",
    "hessian": [[2, 1], [1, "3/2"]],
    "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 40,
    "S": 4,
    "params": {"eps": "1/50", "mu": "3/10"},
}


def bad(
    name: str, title: str, change: dict[str, Any] | str, *has: str, sampler: str = "momentum"
) -> Case:
    """A problem file with one thing wrong with it, read by law and by simulate."""
    text = (
        change
        if isinstance(change, str)
        else json.dumps({k: v for k, v in (GOOD | change).items() if v is not ...})
    )
    line = f"{sampler} --problem problem.json"
    return Case(
        f"wrong.{name}",
        title,
        (
            wrong(f"sgtheory law {line}", *has),
            wrong(f"sgtheory simulate {line} --chains 10 --steps 3", *has),
        ),
        {"problem.json": text},
    )


STEP = "def step(theta, gradient, rng, eps):\n    return theta - eps * gradient(theta)\n"
CHECK = "sgtheory check mine.py:step --like sgd --dimensions 2,1"

CASES = (
    Case(
        "wrong.samplers",
        "misspelt samplers are answered with the right ones",
        (
            wrong("sgtheory derive momentun", "momentum"),
            wrong("sgtheory derive SGLLD", "sgld"),
            Step("sgtheory derive SGLD", has=("Langevin",)),
            wrong("sgtheory law sgdl --problem problem.json", "sgld"),
            wrong("sgtheory tune nestrov --problem problem.json", "nesterov"),
            wrong("sgtheory simulate heavy_ball --problem problem.json"),
            wrong("sgtheory check mine.py:step --like sgldd", "sgld"),
            wrong("sgtheory cite momentun", "momentum"),
            wrong("sgtheory derive underdamped:BAXAB", "BAXAB|X"),
        ),
        {"problem.json": json.dumps(GOOD), "mine.py": STEP},
    ),
    Case(
        "wrong.papers",
        "misspelt papers and claims are answered with the right ones",
        (
            wrong("sgtheory verify mandt2071", "mandt2017"),
            wrong("sgtheory verify mandt2017.eq250", "eq25"),
            wrong("sgtheory errata mandt", "mandt2017"),
            wrong("sgtheory errata chen2016", "chen2016santa"),
            wrong("sgtheory report mandt2071", "mandt2017"),
        ),
    ),
    Case(
        "wrong.words",
        "misspelt commands, things to list, models, experiments and options",
        (
            wrong("sgtheory derve sgd", "derive"),
            wrong("sgtheory list sampler", "samplers"),
            wrong("sgtheory derive sgd --model quadratik", "quadratic"),
            wrong("sgtheory derive sgd --whta stability", "what"),
            wrong("sgtheory derive sgd --what stabilty", "stability"),
            wrong("sgtheory experiment nothing"),
            wrong("sgtheory derive"),
            wrong("sgtheory verify nothing.py", "nothing.py"),
            wrong("sgtheory convert --from blackjax.sgldd --to sgld", "blackjax.sgld"),
        ),
    ),
    Case(
        "wrong.list",
        "sgtheory list alone says what can be listed",
        (Step("sgtheory list", status=(0, 2), has=("samplers", "models", "claims", "papers")),),
    ),
    Case(
        "wrong.no_file",
        "files that are not there",
        (
            wrong("sgtheory law sgd --problem missing.json", "missing.json"),
            wrong("sgtheory law sgd", "--problem"),
            wrong("sgtheory diff old.json new.json", "old.json"),
            wrong("sgtheory check missing.py:step --like sgd", "missing.py"),
        ),
    ),
    bad(
        "field",
        "a misspelt field of a problem",
        {"hesian": GOOD["hessian"], "hessian": ...},
        "hesian|hessian",
    ),
    bad("extra_field", "a field too many", {"hesian": GOOD["hessian"]}, "hesian"),
    bad("no_noise", "a problem without its noise", {"noise": ...}, "noise"),
    bad("model", "a misspelt model", {"model": "quadratc"}, "quadratic"),
    bad("param", "a misspelt parameter", {"params": {"epz": "1/50", "mu": "3/10"}}, "epz|eps"),
    bad("no_param", "a parameter is missing", {"params": {"eps": "1/50"}}, "mu"),
    bad(
        "word_for_number",
        "a word where a number should be",
        {"params": {"eps": "small", "mu": "3/10"}},
        "small",
    ),
    bad(
        "negative_step",
        "a negative step",
        {"params": {"eps": "-1/50", "mu": "3/10"}},
        "eps",
        "positive|> ?0|-1/50",
    ),
    bad("zero_step", "a step of zero", {"params": {"eps": 0, "mu": "3/10"}}, "eps"),
    bad(
        "not_square",
        "a Hessian that is not square",
        {"hessian": [[2, 1, 0], [1, 1, 0]]},
        "hessian",
        "square|2",
    ),
    bad(
        "not_symmetric",
        "a Hessian that is not symmetric",
        {"hessian": [[2, 1], [0, 2]]},
        "hessian",
        "symmetric",
    ),
    bad("singular", "a singular Hessian", {"hessian": [[1, 1], [1, 1]]}, "hessian", "definite|singular"),
    bad(
        "indefinite_noise",
        "noise that is no covariance",
        {"noise": [[1, 2], [2, 1]]},
        "noise",
        "definite",
    ),
    bad("sizes", "matrices of two sizes", {"noise": [[1]]}, "noise|hessian"),
    bad("batch", "a minibatch of none", {"S": 0}, "S"),
    bad(
        "json", "a file that is no JSON", '{"model": "quadratic", "hessian": [[2, 1], [1', "problem.json"
    ),
    bad("empty_json", "an empty file", "", "problem.json"),
    bad("list_json", "a list where an object should be", "[1, 2]", "problem.json|object"),
    Case(
        "wrong.unstable",
        "an unstable step: a line that names the limit; as JSON status 1 and no covariance",
        (
            wrong("sgtheory law sgd --problem problem.json", "stable", r"\b2\b|0\.66|2/3"),
            Step(
                "sgtheory law sgd --problem problem.json --json",
                status=(1,),
                facts={"stable": False, "covariance": None},
            ),
        ),
        {"problem.json": json.dumps(GOOD | {"hessian": [[3]], "noise": [[1]], "params": {"eps": 1}})},
    ),
    Case(
        "wrong.numbers",
        "options out of their range",
        (
            wrong("sgtheory law momentum --problem problem.json --at -1", "-1|at"),
            wrong("sgtheory law momentum --problem problem.json --average 0", "average"),
            wrong("sgtheory simulate momentum --problem problem.json --chains 0", "chains"),
            wrong("sgtheory law momentum --problem problem.json --gradient epz", "eps"),
            wrong("sgtheory tune momentum --problem problem.json --only epz", "eps"),
            wrong("sgtheory simulate momentum --problem problem.json --device tpu", "cpu"),
            wrong(
                "sgtheory simulate momentum --problem problem.json --chains 10 --steps 2 --out run.xyz",
                "npz",
            ),
        ),
        {"problem.json": json.dumps(GOOD)},
    ),
    Case(
        "wrong.toml",
        "a problem in TOML is read",
        (
            Step(
                "sgtheory law sgd --problem problem.toml --json",
                facts={"covariance/theta,theta/0/0": 0.125},
            ),
        ),
        {
            "problem.toml": 'model = "quadratic"\nhessian = [[2]]\nnoise = [[3]]\nN '
            '= 10\nS = 2\n\n[params]\neps = "1/4"\n'
        },
    ),
    Case(
        "wrong.check_target",
        "targets that are not there or cannot be read",
        (
            wrong("sgtheory check mine.py:setp --like sgd", "setp", "step"),
            wrong("sgtheory check mine.py --like sgd", "step|function|name"),
            # without --like it is found out what the step is
            Step("sgtheory check mine.py:step", has=("identified", "sgd", "--like")),
            wrong("sgtheory check typo.py:step --like sgd", "typo.py", "1|line"),
            wrong("sgtheory check mine.py:step --like sgd --with lr", "lr", "="),
            wrong("sgtheory check mine.py:step --like sgd --with lr=epz", "epz"),
            wrong("sgtheory check mine.py:step --like sgd --fix epz=1", "epz"),
            wrong("sgtheory check mine.py:number --like sgd", "number"),
        ),
        {"mine.py": STEP + "\n\nnumber = 3\n", "typo.py": "def step(theta:\n    return theta\n"},
    ),
    Case(
        "wrong.check_letter",
        "a step with a parameter that nothing is known of: one line with what to type",
        # not lr, which is understood by now where it has one reading
        (wrong("sgtheory check mine.py:step --like sgd", "pace", "--with"),),
        {"mine.py": STEP.replace("eps", "pace")},
    ),
    Case(
        "wrong.check_raises",
        "a step that raises is a finding: crashed, status 1, with its own words",
        (Step(CHECK, status=(1,), has=("crashed", "no_such_thing"), tracebacks=True),),
        {"mine.py": "def step(theta, gradient, rng, eps):\n    return no_such_thing(theta)\n"},
    ),
    Case(
        "wrong.check_shape",
        "a step that gives back another shape, nothing, or something else",
        (
            Step(CHECK, status=(1,), has=("crashed|deviates", "shape"), tracebacks=True),
            Step(
                CHECK.replace(":step", ":nothing"),
                status=(1,),
                has=("crashed|deviates", "None", "return"),  # a finding of the step, as another shape is
                tracebacks=True,
            ),
            Step(CHECK.replace(":step", ":leaves"), status=(1,), has=("crashed",), tracebacks=True),
        ),
        {
            "mine.py": "import sys\n\n\ndef step(theta, gradient, rng, eps):\n    return theta[0]\n\n\n"
            "def nothing(theta, gradient, rng, eps):\n    theta - eps * gradient(theta)\n\n\n"
            "def leaves(theta, gradient, rng, eps):\n    sys.exit(0)\n"
        },
    ),
    Case(
        "wrong.check_dict",
        "a step for a dict where an array is right, and the reverse, get a line that says which",
        (
            # without an init that says so, a sampler of one state is handed an array
            Step(
                CHECK,
                status=(0, 1),
                has=("conforms|handed an array.*works on a dict: take the array",),
                tracebacks=True,
            ),
            Step(
                "sgtheory check mine.py:flat --like momentum --dimensions 2,1",
                status=(1, 2),
                has=("dict", "array|velocity|v\\b"),
                tracebacks=True,
            ),
        ),
        {
            "mine.py": 'def step(state, gradient, rng, eps):\n    return {"theta": '
            'state["theta"] - eps * gradient(state["theta"])}\n\n\n'
            "def flat(theta, gradient, rng, eps, mu):\n    return "
            "theta - eps * gradient(theta) @ theta.T\n"
        },
    ),
    Case(
        "wrong.check_prints",
        "a step that prints does not spoil the JSON",
        (Step(CHECK + " --json", facts={"schema": "sgtheory.check/1", "verdict": "conforms"}),),
        {
            "mine.py": 'print("loaded")\n\n\ndef step(theta, gradient, rng, eps):\n    '
            'print("step")\n    return theta - eps * gradient(theta)\n'
        },
    ),
)

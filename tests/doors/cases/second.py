"""The second wave: notations that the first did not use, written later and as blindly."""

from __future__ import annotations

from collections.abc import Mapping

from tests.doors.case import Case, Step, near, wrong
from tests.doors.cases.claims import HEAD, OWN, SO, VERDICTS, law, one_of, verdicts
from tests.doors.cases.samplers import FILES, HEAVY, plain, problem


def case(name: str, title: str, *steps: Step, files: Mapping[str, str]) -> Case:
    """A case of the second wave."""
    return Case(f"second.{name}", title, steps, files, wave=2)


# A step along a running mean of gradients.
AVERAGED = '''\
"""A running mean of gradients, and a step along it."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, m = state("theta m")
lr, rate = positive("lr rate")

AVERAGED_GRADIENT = Sampler(
    state=(theta, m),
    updates=(
        (m, (1 - rate) * m + rate * gradient(theta)),
        (theta, theta - lr * m),
    ),
    convention=Card(loss="mean", drift="lr", order="the mean first"),
)
'''
# v = -lr m is heavy ball with b = 1 - rate and eps = lr rate.
AVERAGED_VARIANCE = 0.225

GREEK = '''\
"""SGD whose letters are those of programs and of other papers."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

x = state("theta")
T, lambda_ = positive("T lambda")

COOLED = Sampler(
    state=(x,),
    updates=((x, x - lambda_ / (1 + T) * gradient(x)),),
    convention=Card(loss="mean", drift="lambda/(1 + T)", order="one update"),
)
'''

IDENTITY = """
eq2 = claim(
    "eq2",
    at="Eq. 2",
    title="Energy of SGD, exactly",
    says="Half the work of the noise.",
    of="sgd",
    time="discrete",
    printed=Equal(2 * trace(A * Sigma) - eps * trace(A * Sigma * A), eps / S * trace(C)),
)
"""

CASES = (
    case(
        "average",
        "a running mean of gradients as a sampler: derive, law, simulate, check",
        Step("sgtheory derive averaged.py", has=("rate",)),
        Step(
            "sgtheory law averaged.py --problem problem.json --json",
            facts={"covariance/theta,theta/0/0": AVERAGED_VARIANCE},
        ),
        Step(
            "sgtheory simulate averaged.py --problem problem.json --chains 40000 --steps 200 --json",
            facts={"covariance/theta,theta/0/0": near(AVERAGED_VARIANCE, 0.05)},
        ),
        Step(
            "sgtheory check mine.py:step --like averaged.py --with beta=1-rate --dimensions 2,1",
            has=("conforms",),
        ),
        files={
            "averaged.py": AVERAGED,
            "problem.json": problem(lr="1/2", rate="1/2"),
            "mine.py": """\
import numpy as np


def init(theta, rng):
    return {"theta": theta, "m": np.zeros_like(theta)}


def step(state, gradient, rng, lr, beta):
    m = beta * state["m"] + (1 - beta) * gradient(state["theta"])
    return {"theta": state["theta"] - lr * m, "m": m}
""",
        },
    ),
    case(
        "letters",
        "a sampler with letters called T and lambda",
        Step("sgtheory derive cooled.py:COOLED", has=("T", "lambda|λ")),
        Step(
            "sgtheory law cooled.py:COOLED --problem problem.json --json",
            facts={"covariance/theta,theta/0/0": plain(2, 1.5, 0.25)},
        ),
        Step("sgtheory tune cooled.py:COOLED --problem problem.json", has=("T",)),
        Step(
            "sgtheory check mine.py:step --like cooled.py:COOLED --with lam=lambda --dimensions 2,1",
            has=("conforms",),
        ),
        files={
            "cooled.py": GREEK,
            "problem.json": problem(T=1, **{"lambda": "1/2"}),
            "mine.py": "def step(theta, gradient, rng, lam, T):\n    return "
            "theta - lam / (1 + T) * gradient(theta)\n",
        },
    ),
    case(
        "other_folder",
        "a sampler in another folder, and in a package of this one",
        Step("sgtheory derive mine/samplers.py:HEAVY_BALL", has=("beta|β",)),
        Step("sgtheory derive mine.samplers:HEAVY_BALL", has=("beta|β",)),
        Step(
            "sgtheory law ./mine/samplers.py:HEAVY_BALL --problem problem.json --json",
            facts={"stable": True},
        ),
        files={"mine/__init__.py": "", "mine/samplers.py": HEAVY, "problem.json": FILES["problem.json"]},
    ),
    case(
        "imports_neighbour",
        "a sampler's file that imports another file of its folder",
        Step("sgtheory derive mine/second.py:AGAIN", has=("beta|β",)),
        files={
            "mine/first.py": HEAVY,
            "mine/second.py": "from first import HEAVY_BALL as AGAIN\n\n__all__ = ['AGAIN']\n",
        },
    ),
    case(
        "law_options",
        "law of a file's sampler with every option",
        *(
            Step(f"sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json {option}")
            for option in ("--time continuous", "--average 10", "--at 20", "--gradient beta", "--fourth")
        ),
        files=FILES,
    ),
    case(
        "trace",
        "the first chains of a file's sampler as they go, read again in Python",
        Step(
            "sgtheory simulate my_sampler.py:HEAVY_BALL --problem problem.json "
            "--trace 3 --steps 50 --chains 8 --out t.npz",
            wrote=("t.npz",),
        ),
        Step("python run.py", has=("came to the end",)),
        files={
            **FILES,
            "run.py": "from simulators.trace import "
            "read_trace\n\nprint(read_trace('t.npz'))\nprint('came to the end')\n",
        },
    ),
    case(
        "unstable",
        "a file's sampler beyond its limit: a line that names it",
        wrong("sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json", "stable"),
        Step(
            "sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json --json",
            status=(1,),
            facts={"stable": False},
        ),
        files={"my_sampler.py": HEAVY, "problem.json": problem(eps=2, beta="1/2")},
    ),
    case(
        "missing_parameter",
        "a file's sampler without one of its parameters, and with one misspelt",
        wrong("sgtheory law my_sampler.py:HEAVY_BALL --problem problem.json", "beta"),
        wrong("sgtheory law my_sampler.py:HEAVY_BALL --problem other.json", "beta|betta"),
        files={
            "my_sampler.py": HEAVY,
            "problem.json": problem(eps="1/4"),
            "other.json": problem(eps="1/4", betta="1/2"),
        },
    ),
    case(
        "report_two",
        "pages on a claim and on a sampler of the user's at once",
        Step(
            "sgtheory report mine.py my_sampler.py:HEAVY_BALL --out pages", wrote=("pages/index.html",)
        ),
        files={"mine.py": HEAD + SO, "my_sampler.py": HEAVY},
    ),
    case(
        "check_page",
        "check's page against a file's sampler",
        Step(
            "sgtheory check mine.py:step --like my_sampler.py:HEAVY_BALL "
            "--dimensions 2,1 --page check.html",
            has=("conforms",),
            wrote=("check.html",),
        ),
        files={
            "my_sampler.py": HEAVY,
            "mine.py": (
                "import numpy as np\n\n\ndef init(theta, rng):\n    "
                "return {'theta': theta, 'old': theta}\n\n\n"
                "def step(state, gradient, rng, eps, beta):\n    x, old = state['theta'], state['old']\n"
                "    return {'theta': x - eps * gradient(x) + beta * (x - old), 'old': x}\n"
            ),
        },
    ),
    case(
        "fixture",
        "a test with our fixture against a sampler of one's own",
        Step("python -m pytest -q", has=("2 passed",)),
        files={
            "my_sampler.py": HEAVY,
            "test_mine.py": """\
import numpy as np
from my_sampler import HEAVY_BALL


def step(state, gradient, rng, eps, beta):
    v = beta * state["v"] - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}


step.init = lambda theta, rng: {"theta": theta, "v": np.zeros_like(theta)}


def test_object(assert_samples_law):
    assert_samples_law(step, like=HEAVY_BALL, dimensions=(1, 2))


def test_file(assert_samples_law):
    assert_samples_law(step, like="my_sampler.py:HEAVY_BALL", dimensions=(1, 2))
""",
        },
    ),
    case(
        "simulate_in_python",
        "an ensemble of one's own sampler from Python",
        Step("python run.py", has=("came to the end",)),
        files={
            **FILES,
            "run.py": """\
import sgtheory as sg
from my_sampler import HEAVY_BALL
from sgtheory.setting import Setting
from simulators import simulate

problem = sg.read_problem("problem.json")
run = simulate(Setting(HEAVY_BALL, problem.model), problem.values(HEAVY_BALL), chains=40_000, steps=200)
found = float(run.covariance["theta,theta"][0][0])
assert abs(found / 0.225 - 1) < 0.05, found
print("came to the end")
""",
        },
    ),
    case(
        "identity",
        "an identity that is so beside a law that is so",
        Step(
            "sgtheory verify mine.py --json out.json",
            document="out.json",
            facts=verdicts("proved", "proved"),
        ),
        files={"mine.py": HEAD + SO + IDENTITY},
    ),
    case(
        "own_root",
        "a claim on a sampler whose step has sqrt(h) sqrt(1 - beta)",
        Step(
            "sgtheory verify mine.py --json out.json",
            document="out.json",
            facts={"claims/0/verdict": one_of(*VERDICTS)},
            lacks=("disagree",),
        ),
        files={
            "mine.py": OWN.replace("theta - eps * (1 - beta)", "theta - sqrt(eps) * sqrt(1 - beta)")
            .replace("e = eps * (1 - beta)", "e = sqrt(eps) * sqrt(1 - beta)")
            .replace("from sgtheory.declare", "from sympy import sqrt\nfrom sgtheory.declare")
            + law(
                "eq1",
                "Sigma * A + A * Sigma - e * A * Sigma * A",
                "e / S * C",
                of="DAMPED",
                more="    given=(beta < 1,),\n",
            )
        },
    ),
    case(
        "own_exponential",
        "a claim on a sampler whose step has exp(-gamma h)",
        Step(
            "sgtheory verify mine.py --json out.json",
            document="out.json",
            facts={"claims/0/verdict": one_of(*VERDICTS)},
            lacks=("disagree",),
        ),
        files={
            "mine.py": OWN.replace('positive("eps beta")', 'positive("h gamma")')
            .replace("theta - eps * (1 - beta)", "theta - (1 - exp(-beta * eps))")
            .replace("e = eps * (1 - beta)", "e = 1 - exp(-beta * eps)")
            .replace("from sgtheory.declare", "from sympy import exp\nfrom sgtheory.declare")
            + law("eq1", "Sigma * A + A * Sigma - e * A * Sigma * A", "e / S * C", of="DAMPED")
        },
    ),
    case(
        "own_exponential_wrong",
        "the same with a factor 2 is refuted",
        Step(
            "sgtheory verify mine.py --json out.json",
            status=(1,),
            document="out.json",
            facts=verdicts("refuted"),
            lacks=("disagree",),
        ),
        files={
            "mine.py": OWN.replace('positive("eps beta")', 'positive("h gamma")')
            .replace("theta - eps * (1 - beta)", "theta - (1 - exp(-beta * eps))")
            .replace("e = eps * (1 - beta)", "e = 1 - exp(-beta * eps)")
            .replace("from sgtheory.declare", "from sympy import exp\nfrom sgtheory.declare")
            + law("eq1", "Sigma * A + A * Sigma - e * A * Sigma * A", "2 * e / S * C", of="DAMPED")
        },
    ),
    case(
        "own_letters",
        "a claim on a sampler with letters called lambda and T, refuted with numbers and a script",
        Step(
            "sgtheory verify mine.py --json out.json",
            status=(1,),
            document="out.json",
            facts=verdicts("refuted"),
            lacks=("disagree",),
        ),
        files={
            "mine.py": OWN.replace('positive("eps beta")', 'positive("lambda T")')
            + law(
                "eq1",
                "Sigma * A + A * Sigma - e * A * Sigma * A",
                "3 * e / S * C",
                of="DAMPED",
                more="    given=(beta < 1,),\n",
            )
        },
    ),
    case(
        "dash",
        "a file of claims whose name is no module's name",
        Step("sgtheory verify my-paper.py", has=("proved",)),
        Step("sgtheory report my-paper.py --out pages", wrote=("pages/index.html",)),
        files={"my-paper.py": HEAD + SO},
    ),
    case(
        "umlaut",
        "a file of claims with letters beyond ASCII, in lines of Windows",
        Step("sgtheory verify mine.py", has=("proved", "Über")),
        files={"mine.py": (HEAD + SO).replace("Covariance eq1", "Über Σ").replace("\n", "\r\n")},
    ),
    case(
        "word_of_time",
        "a claim with a misspelt time is a line that names it",
        Step("sgtheory verify mine.py", status=(2, 3), has=("dicrete|discrete",)),
        files={"mine.py": HEAD + SO.replace('"discrete"', '"dicrete"')},
    ),
    case(
        "strings",
        "a claim that prints strings is told so, and the next is judged",
        Step("sgtheory verify mine.py", status=(2, 3), has=("eq2|string|str\\b", "proved|mine.py")),
        files={"mine.py": HEAD + SO + law("eq2", '"Sigma A + A Sigma"', '"eps/S C"')},
    ),
    case(
        "first_raises",
        "a claim that raises before one that is not so: both are told, the tally has both",
        Step("sgtheory verify mine.py", status=(1, 3), has=("inconclusive", "refuted")),
        files={
            "mine.py": HEAD
            + law("eq1", "Sigma * A", "C", more='    given=("beta < 1",),\n')
            + law("eq2", "Sigma * A + A * Sigma", "2 * eps / S * C")
        },
    ),
    case(
        "own_momentum",
        "the stationary law of heavy ball in continuous time, on a sampler of one's own",
        Step(
            "sgtheory verify mine.py --json out.json",
            status=(0, 1),
            document="out.json",
            facts={"claims/0/verdict": one_of("proved", "proved-if", "limit-only", "confirmed")},
            lacks=("disagree",),
        ),
        files={
            "mine.py": HEAVY.replace('"""Heavy-ball', 'r"""Heavy-ball')
            + "\n"
            + HEAD.replace("S, Sigma, eps, mu, trace", "S, Sigma, trace")
            + law(
                "eq1",
                "Sigma * A + A * Sigma",
                "eps / ((1 - beta) * S) * C",
                of="HEAVY_BALL",
                more="    given=(beta < 1,),\n",
            ).replace('"discrete"', '"continuous"')
        },
    ),
)

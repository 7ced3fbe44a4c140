"""Claim files of the user's own."""

from __future__ import annotations

from collections.abc import Callable

from tests.doors.case import Case, Step, wrong
from tests.doors.cases.samplers import HEAVY

HEAD = """\
from sympy import Symbol
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, eps, mu, trace
from verification.statements import Equal, claim

"""


def law(name: str, left: str, right: str, *, of: str = '"sgd"', more: str = "") -> str:
    """A claim on a stationary covariance."""
    return (
        f'{name} = StationaryLaw(\n    "{name}",\n    at="Eq. '
        f'{name[-1]}",\n    title="Covariance {name}",\n'
        f'    says="An equation for the covariance.",\n    of={of},\n    time="discrete",\n{more}'
        f"    printed=(Printed({left}, {right}),),\n)\n"
    )


# x <- x - eps g: Sigma = (1 - eps A) Sigma (1 - eps A) + eps^2 C/S, so this is so in every dimension.
SO = law("eq1", "Sigma * A + A * Sigma - eps * A * Sigma * A", "eps / S * C")
SO_TOO = law("eq3", "A * Sigma + Sigma * A", "eps / S * C + eps * A * Sigma * A")
NOT_SO = law("eq2", "Sigma * A + A * Sigma", "2 * eps / S * C")

# The same with eps (1 - beta) for eps: so where beta < 1, and there only is there a law.
OWN = '''\
"""A sampler of the file's own, with a letter of its own."""

from sgtheory.declare import Card, Sampler, gradient, positive, state
from verification.statements import Printed
from verification.statements.stationary import StationaryLaw
from verification.notation import A, C, S, Sigma, trace
from verification.statements import Compare, claim

theta = state("theta")
eps, beta = positive("eps beta")

DAMPED = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * (1 - beta) * gradient(theta)),),
    convention=Card(loss="mean", drift="eps (1 - beta)", order="one update"),
)
e = eps * (1 - beta)

'''
DAMPED_LAW = law(
    "eq1",
    "Sigma * A + A * Sigma - e * A * Sigma * A",
    "e / S * C",
    of="DAMPED",
    more="    given=(beta < 1,),\n",
)
DAMPED_BOUND = """
eq2 = claim(
    "eq2",
    at="Eq. 2",
    title="The energy is at least that of small steps",
    says="A lower bound.",
    of=DAMPED,
    given=(beta < 1,),
    printed=Compare(e * trace(C) / (2 * S), "<=", trace(A * Sigma)),
)
"""
VERDICTS = ("proved", "confirmed", "proved-if")


def verdicts(*found: str) -> dict[str, object]:
    """The verdicts in a document, in the order of the file."""
    return {"schema": "sgtheory.verdicts/1"} | {
        f"claims/{k}/verdict": word for k, word in enumerate(found)
    }


def one_of(*words: str) -> Callable[[object], bool]:
    """A verdict among several that would be right."""

    def among(word: object) -> bool:
        return word in words

    among.__doc__ = " or ".join(words)
    return among


CASES = (
    Case(
        "claim.so",
        "a claim that is so is proved, status 0",
        (
            Step("sgtheory verify mine.py", has=("proved",), lacks=("refuted", "inconclusive")),
            Step(
                "sgtheory verify mine.py --json out.json", document="out.json", facts=verdicts("proved")
            ),
            Step("sgtheory verify mine.py --json -", facts=verdicts("proved")),
        ),
        {"mine.py": HEAD + SO},
    ),
    Case(
        "claim.not_so",
        "a claim that is not so is refuted, status 1, in text and JSON",
        (
            Step(
                "sgtheory verify mine.py --json out.json",
                status=(1,),
                document="out.json",
                facts=verdicts("refuted"),
            ),
            Step("sgtheory verify mine.py", status=(1,), has=("refuted",)),
        ),
        {"mine.py": HEAD + NOT_SO},
    ),
    Case(
        "claim.three",
        "of three claims two are so",
        (
            Step(
                "sgtheory verify mine.py --json out.json",
                status=(1,),
                document="out.json",
                facts=verdicts("proved", "refuted", "proved"),
            ),
            Step("sgtheory verify mine.py --only eq3", has=("proved",), lacks=("refuted",)),
        ),
        {"mine.py": HEAD + SO + NOT_SO + SO_TOO},
    ),
    Case(
        "claim.new",
        "an untouched sgtheory new claim: verify, then report",
        (
            Step("sgtheory new claim", wrote=("my_paper.py",)),
            Step("sgtheory verify my_paper.py", status=(0, 1), has=("eq1", "eq2", "eq3")),
            Step("sgtheory report my_paper.py --out pages", status=(0, 1), wrote=("pages/index.html",)),
        ),
    ),
    Case(
        "claim.report",
        "report on a claim that is so, status 0",
        (Step("sgtheory report mine.py --out pages", wrote=("pages/index.html",)),),
        {"mine.py": HEAD + SO},
    ),
    Case(
        "claim.report_formats",
        "report on a file in all formats but pdf",
        (
            Step(
                "sgtheory report mine.py --out pages --format html,latex,markdown,json,notebook",
                status=(0, 1),
                wrote=("pages/index.html",),
            ),
        ),
        {"mine.py": HEAD + NOT_SO},
    ),
    Case(
        "claim.middle_raises",
        "of three claims the middle one raises: the others are judged, status 3",
        (
            Step(
                "sgtheory verify mine.py --json out.json",
                status=(3,),
                document="out.json",
                facts=verdicts("proved", "inconclusive", "proved"),
            ),
        ),
        {
            "mine.py": HEAD
            + SO
            + law("eq2", "Sigma * A", "C", more='    given=("beta < 1",),\n')
            + SO_TOO
        },
    ),
    Case(
        "claim.middle_of_nothing",
        "of three claims the middle one is about a sampler that is not there",
        (
            Step(
                "sgtheory verify mine.py",
                status=(2, 3),
                has=("proved", "sgdd", "sgd", "eq1", "eq3"),
            ),
        ),
        {"mine.py": HEAD + SO + law("eq2", "Sigma * A", "C", of='"sgdd"') + SO_TOO},
    ),
    Case(
        "claim.middle_divides_by_nothing",
        "of three claims the middle one divides by zero while it is judged",
        (
            Step(
                "sgtheory verify mine.py --json out.json",
                status=(1, 3),
                document="out.json",
                facts={
                    "claims/0/verdict": "proved",
                    "claims/1/verdict": one_of("inconclusive", "refuted"),
                    "claims/2/verdict": "proved",
                },
            ),
        ),
        {"mine.py": HEAD + SO + law("eq2", "Sigma * A + A * Sigma", "eps / (S - S) * C") + SO_TOO},
    ),
    Case(
        "claim.own_sampler",
        "a claim on a sampler that its file declares, given beta < 1",
        (
            Step(
                "sgtheory verify mine.py --json out.json",
                document="out.json",
                facts={"claims/0/verdict": one_of(*VERDICTS)},
                lacks=("beta = 1\\b", "disagree"),
            ),
        ),
        {"mine.py": OWN + DAMPED_LAW},
    ),
    Case(
        "claim.own_bound",
        "a bound on a sampler that its file declares, so where beta < 1 and not beyond",
        (
            Step(
                "sgtheory verify mine.py --json out.json",
                document="out.json",
                facts={"claims/0/verdict": one_of(*VERDICTS)},
                lacks=("disagree",),
            ),
        ),
        {"mine.py": OWN + DAMPED_BOUND},
    ),
    Case(
        "claim.own_report",
        "pages on claims on a sampler that their file declares",
        (Step("sgtheory report mine.py --out pages", wrote=("pages/index.html",)),),
        {"mine.py": OWN + DAMPED_LAW + DAMPED_BOUND},
    ),
    Case(
        "claim.own_refuted",
        "a wrong claim on a sampler that its file declares is refuted with numbers",
        (Step("sgtheory verify mine.py", status=(1,), has=("refuted", "beta|β"), lacks=("disagree",)),),
        {"mine.py": OWN + DAMPED_LAW.replace("e / S * C", "2 * e / S * C")},
    ),
    Case(
        "claim.imported_sampler",
        "a claim on a sampler that stands in another file of the folder",
        (
            Step(
                "sgtheory verify mine.py",
                status=(0, 1),
                has=("limit-only|proved|refuted",),
                lacks=("disagree",),
            ),
        ),
        {
            "my_sampler.py": HEAVY,
            "mine.py": "from my_sampler import HEAVY_BALL, beta\n"
            + HEAD
            + law(
                "eq1",
                "Sigma * A + A * Sigma",
                "eps / ((1 - beta) * S) * C",
                of="HEAVY_BALL",
                more="    given=(beta < 1,),\n",
            ),
        },
    ),
    Case(
        "claim.wrong_letter",
        "a letter that the sampler does not have is named",
        (Step("sgtheory verify mine.py -v", status=(1, 2, 3), has=("kappa",), lacks=("disagree",)),),
        {
            "mine.py": HEAD
            + 'kappa = Symbol("kappa", positive=True)\n'
            + law("eq1", "Sigma * A + A * Sigma", "kappa / S * C")
        },
    ),
    Case(
        "claim.letter_lambda",
        "letters called lambda and in are no error",
        (Step("sgtheory verify mine.py --json out.json", status=(1, 2, 3), has=("eq1|lambda",)),),
        {
            "mine.py": OWN.replace('positive("eps beta")', 'positive("lambda in")')
            + DAMPED_LAW.replace("e / S * C", "3 * e / S * C")
        },
    ),
    Case(
        "claim.syntax_error",
        "a file with a syntax error is one line with its place",
        (wrong("sgtheory verify mine.py", "mine.py", f"line {len(HEAD.splitlines()) + 1} of"),),
        {"mine.py": HEAD + "eq1 = StationaryLaw(\n"},
    ),
    Case(
        "claim.undefined",
        "a file with an undefined name is one line",
        (wrong("sgtheory verify mine.py", "mine.py", "Sigmaa"),),
        {"mine.py": HEAD + law("eq1", "Sigmaa * A", "C")},
    ),
    Case(
        "claim.missing_module",
        "a file that imports what is not there is one line",
        (wrong("sgtheory verify mine.py", "mine.py", "no_such_module"),),
        {"mine.py": "import no_such_module\n" + HEAD + SO},
    ),
    Case(
        "claim.empty",
        "an empty file is one line",
        (
            wrong("sgtheory verify mine.py", "mine.py", "claim"),
            wrong("sgtheory report mine.py", "mine.py", "claim"),
        ),
        {"mine.py": ""},
    ),
    Case(
        "claim.twice",
        "two claims of one name are told of",
        (Step("sgtheory verify mine.py", status=(2,), has=("eq1",)),),
        {"mine.py": HEAD + SO + SO.replace("eq1 = ", "eq2 = ")},
    ),
    Case(
        "claim.folder",
        "a file in another folder, and two at once",
        (
            Step(
                "sgtheory verify notes/first.py notes/second.py",
                status=(1,),
                has=("first", "second", "proved", "refuted"),
            ),
        ),
        {"notes/first.py": HEAD + SO, "notes/second.py": HEAD + NOT_SO},
    ),
)

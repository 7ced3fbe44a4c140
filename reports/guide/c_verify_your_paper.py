"""A claim of one's own, and what the machine says to it."""

from __future__ import annotations

from reports.document import Block, Code, Heading, Paragraph, Table, prose
from reports.guide._running import command
from verification.auditing import all_checks

TITLE = "Verify your paper"
SUMMARY = "A claim is a few lines of Python; the machine proves it, or shows numbers at which it fails."

FILE = """\
from sgtheory.notation.matrixwords import A, C, SIGMA
from sympy import Symbol
from verification.statements import Equal, claim

eps, S = (Symbol(name, positive=True) for name in ("eps", "S"))

stationary = claim(
    "stationary", at="Eq. 1", title="Our stationary covariance",
    says="The stationary covariance solves this equation.",
    of="sgd", time="discrete",
    printed=Equal(SIGMA * A + A * SIGMA, eps / S * C),
)
"""

CLAIMS = """\
from verification.statements import at

unique = at("thm1", "Theorem 1").attribution("Its law is unique", "It is ascribed to others.")
"""


def blocks() -> tuple[Block, ...]:
    """A file with one claim, judged."""
    return (
        Paragraph("Write what you print, as data; nothing in it says whether it is true."),
        Code(FILE, "python", prose("`my_paper.py`")),
        *command("sgtheory verify my_paper.py", {"my_paper.py": FILE}),
        Paragraph(
            "This equation is that of the limit in continuous time, and was declared for the discrete"
            " algorithm. The verdict says how far off it is, and what is true instead."
        ),
        Paragraph(
            prose(
                "What stands there is `printed=`. Say `read=` of a sentence as you read it, and"
                " `derived=` of a consequence that the paper does not print: pages and counts"
                " keep the three apart."
            )
        ),
        Heading(2, "Are the entries themselves in order?"),
        Paragraph(
            prose(
                "A verdict may be right and an entry wrong all the same. `sgtheory audit` looks at"
                " entries: it prints a line for everything that it finds, with what to do, and ends"
                " with status 1 where there is any. `--json FILE` and `--markdown FILE` write it to a"
                " file."
            )
        ),
        *command("sgtheory audit my_claims.py --jobs 1", {"my_claims.py": CLAIMS}),
        Table(
            ("check", "what it asks"),
            tuple((check.name, check.sentence) for check in all_checks()),
            align="ll",
        ),
        Paragraph(
            "A condition under which a statement is proved is called necessary and sufficient only where"
            " both are proved. Else it is sufficient, and exact numbers are shown at which the statement"
            " holds without it, where there are any."
        ),
        Heading(2, "As pages"),
        Paragraph("The same with report in place of verify writes a page for each claim."),
        Code("sgtheory report my_paper.py --serve", "sh"),
    )

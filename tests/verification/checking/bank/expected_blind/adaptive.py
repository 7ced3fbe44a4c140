"""Faults of samplers that adapt."""

from tests.verification.checking.bank.entry import Entry
from tests.verification.checking.bank.expected_blind.words import JAX, NUMPY

ADAPTIVE = (
    Entry(
        NUMPY + "forgetful",
        "psgld:no_gamma",
        "precondition",
        (
            r"alpha.{0,20}(instead of|in place of|and|should be).{0,20}1 ?- ?alpha",
            r"1 ?- ?alpha.{0,20}(instead of|in place of|and|should be).{0,20}\balpha",
            r"\(1 ?- ?alpha\) ?\*? ?V",
            r"\balpha ?\*? ?g\b",
            r"swap",
            r"exchang",
            r"interchang",
            r"complement",
            r"weights?.{0,40}(wrong|revers)",
            r"\bV\b.{0,60}(forgets|too (fast|short)|memory)",
        ),
        "alpha and 1 - alpha have changed places in V.",
    ),
    Entry(
        NUMPY + "by_the_mean_square",
        "rmsprop",
        "precondition",
        (
            r"root.{0,60}(missing|forgotten|left out|lacks|not taken|omitted)",
            r"(without|\bno\b|not|lacks|missing|forgot\w*).{0,40}root",
            r"sqrt\(V\).{0,60}(missing|not)",
            r"\bV\b.{0,30}(instead of|in place of|should be|rather than).{0,30}(sqrt|root)",
            r"divid\w+ by (V\b|the mean square)|lambda ?\+ ?V\b|\bV ?\+ ?lambda",
            r"power.{0,40}(\bV\b|mean square)|\bV\b.{0,30}power",
        ),
        "The gradient is divided by the mean square and not by its root.",
    ),
    Entry(
        JAX + "preconditioned",
        "psgld:no_gamma",
        "precondition",
        (
            r"sqrt\(G\)",
            r"root.{0,40}((?-i:\bG\b)|precondition)",
            r"((?-i:\bG\b)|precondition\w*).{0,60}root",
            r"G\^2",
            r"G squared",
            r"sqrt\(eps\) ?\*? ?G\b",
            r"noise.{0,80}((?-i:\bG\b)|precondition\w*).{0,60}(not|instead|should|power)",
        ),
        "The noise is multiplied by G instead of its root.",
    ),
    Entry(
        JAX + "moments",
        "adam",
        "correction",
        (r"\bbias|correct|debias|first steps|warm.?up",),
        "Neither moment is corrected for its bias.",
    ),
)

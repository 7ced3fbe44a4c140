"""Twelve statements that were not written for the grammar, as a mathematician would write each."""

import pytest

from sgtheory.errors import UnusableInput
from verification.texts.letters import Letters, row
from verification.texts.sentences import Sentence

LETTERS = Letters(
    tuple(
        row(*one)
        for one in (
            ("$h$", "positive", "step size"),
            ("$A$", "symmetric positive definite matrix", "curvature"),
            ("$C$", "symmetric positive definite matrix", "gradient noise covariance"),
            ("$S$", "whole number", "minibatch size"),
            ("$m$", "positive"),
            ("$L$", "positive", "largest eigenvalue of A"),
            ("$n$", "whole number"),
        )
    )
)
LYAPUNOV = "A*Sigma + Sigma*A = eps/S*C + O(eps**2) as eps -> 0"
LMC = "Sigma = A**(-1)*(I - gamma*A/2)**(-1)"
SUM = "Sum((1 - h*m)**(2*k), (k, 0, n - 1)) <= 1/(h*m)"
BEST = "eps = 2*D*S/(N*tr(C)) minimises KL(Sigma, q, (N*A)**(-1), p)"
# the sampler of the text, the sentence, and what it is read as
TWELVE = (
    ("sgd",
     r"To first order in $\epsilon$, SGD with step $\epsilon$ and batch $S$ settles at a covariance"
     "\n$\\Sigma$ with\n$$A\\Sigma + \\Sigma A = \\frac{\\epsilon}{S} C.$$", LYAPUNOV),
    ("sgd",
     "SGD with step eps and batch S settles at Sigma with"
     " A Sigma + Sigma A = eps/S C to first order in eps.",
     LYAPUNOV),
    ("lmc", r"The stationary covariance of LMC is $A^{-1}(I - hA/2)^{-1}$ for all $h < 2/L$.", LMC),
    ("lmc", "LMC's stationary covariance is A^{-1}(I - hA/2)^{-1} for all h < 2/L.", LMC),
    ("", r"For $h < 2/L$, $W_2(\mathrm{lmc}, \mathrm{target}) \le h L \sqrt{D}$.",
     "W2(law(lmc), law(diffusion)) <= h*L*sqrt(D)"),
    ("lmc", "W_2(q, p) <= h L sqrt(D)/2 for h < 2/L",
     "W2(law(lmc), law(diffusion)) <= gamma*lambda_max(A)*sqrt(D)/2"),
    ("sgd", r"$\operatorname{tr}(A\Sigma) = \frac{h}{2S}\operatorname{tr} C$.",
     "tr(A*Sigma) = eps/(2*S)*tr(C)"),
    ("sgd", "tr(A Sigma) = eps/(2S) tr C", "tr(A*Sigma) = eps/(2*S)*tr(C)"),
    ("", r"SGLD's bias vanishes as $h \to 0$.", "Sigma - (N*A)**(-1) = o(1) as eps -> 0"),
    ("sgld", "SGLD's bias vanishes as h -> 0", "Sigma - (N*A)**(-1) = o(1) as eps -> 0"),
    ("sgd", "The variance grows linearly in $h$.", "Sigma/eps does not depend on eps"),
    ("momentum", r"The stationary covariance does not depend on $\mu$ in the limit.",
     "Sigma does not depend on mu"),
    ("", "Momentum's stationary covariance does not depend on mu in the limit.",
     "Sigma does not depend on mu"),
    ("sgd", r"$\mathrm{KL}(q \,\|\, p)$ is minimised at $h = \frac{2DS}{N \operatorname{tr} C}$.", BEST),
    ("sgd", "KL(q || p) is minimised at eps = 2 D S/(N tr C)", BEST),
    ("sgd", r"The chain is stable if and only if $h < 2/\lambda_{\max}(A)$.",
     "it settles if and only if eps < 2/lambda_max(A)"),
    ("sgd", "the chain is stable if and only if h < 2/L",
     "it settles if and only if eps < 2/lambda_max(A)"),
    ("", "For $hm < 1$,\n$$\\sum_{k=0}^{n-1} (1-hm)^{2k} \\le \\frac{1}{hm}.$$", SUM),
    ("", "sum_{k=0}^{n-1} (1-hm)^{2k} <= 1/(hm) for h m < 1", SUM),
    ("sgd", r"$\Sigma$ commutes with $A$ if and only if $C$ does.",
     "A*Sigma = Sigma*A if and only if A*C = C*A"),
    ("sgd", "Sigma commutes with A if and only if C does", "A*Sigma = Sigma*A if and only if A*C = C*A"),
)  # fmt: skip


@pytest.mark.parametrize(("of", "sentence", "read"), TWELVE, ids=[s[:40] for _, s, _ in TWELVE])
def test_it_is_read_as_it_is_meant(of, sentence, read):
    _, found = Sentence(sentence, LETTERS, of).stated()
    assert found["statement"].text() == read


@pytest.mark.parametrize(
    "sentence", [r"$\mathbb{E}[\theta_k] = (I - hA)^k \theta_0$", "E[theta_k] = (I - hA)^k theta_0"]
)
def test_a_mean_after_k_steps_cannot_be_said_yet(sentence):
    with pytest.raises(UnusableInput, match="means after k steps cannot be said"):
        Sentence(sentence, LETTERS, "sgd").stated()


LOOSE = (
    "$m h < n, h < 1$",
    "m h < n, h < 1",
    "m = h for h < 1, m < 1",
    r"$$m = h, \quad h < 1$$",
)


@pytest.mark.parametrize("sentence", LOOSE)
def test_a_comma_alone_between_relations_is_refused(sentence):
    with pytest.raises(UnusableInput, match="'and' or 'if' between two relations"):
        Sentence(sentence, LETTERS).stated()


TITLES = ("If h is small: m < n", "In discrete time: m < n", "It is not so: m < n")


@pytest.mark.parametrize("body", TITLES)
def test_a_title_hides_no_hypothesis(body, tmp_path):
    from verification.library import gather

    path = tmp_path / "notes.md"
    path.write_text(f"m, h | positive\nn | whole number\n\n**Claim 1.** {body}\n\n**Claim 2.** h < 2h\n")
    (error,) = gather((str(path),)).unread
    assert "a title without a hypothesis" in str(error)


SET_OFF = (
    ("*What is not so for every step*: m < n", "What is not so for every step"),
    ('"In discrete time": m < n', "In discrete time"),
    ("_If and when_ : m < n", "If and when"),
)


@pytest.mark.parametrize(("body", "title"), SET_OFF, ids=[title for _, title in SET_OFF])
def test_a_title_that_is_set_off_may_hold_any_words(body, title, tmp_path):
    from verification.library import gather

    (tmp_path / "notes.md").write_text(f"m | positive\nn | whole number\n\n**Claim 1.** {body}\n")
    (one,) = gather((str(tmp_path / "notes.md"),)).claims
    assert (one.title, one.statement.text()) == (title, "m < n")


def test_a_title_in_italics_of_latex_may_hold_any_words(tmp_path):
    from verification.library import gather

    table = "\\begin{tabular}{ll}\n$m$ & positive \\\\\n$n$ & positive \\\\\n\\end{tabular}\n"
    claim = "\\begin{theorem}\n\\emph{Not for every step}: $m < n$\n\\end{theorem}\n"
    (tmp_path / "notes.tex").write_text(table + claim)
    (one,) = gather((str(tmp_path / "notes.tex"),)).claims
    assert one.title == "Not for every step"

"""How to write statements in a text, Markdown or LaTeX, with formulas as mathematicians write them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reports.document import Block, Code, Heading, Paragraph, Table, prose
from reports.guide._running import command
from reports.guide._sentences import ROWS, SENTENCES, SPELLINGS, WRONG
from reports.guide._texts import BENT, BEST, DRAWN, MATRICES, ORDERS, RANDOM
from sgtheory.files.writing import write
from verification.texts import read
from verification.texts.letters import KINDS, ROLES, Letters, row
from verification.texts.sentences import Sentence

TITLE = "Write it in a text"
SUMMARY = "Statements in Markdown or LaTeX: what one writes, what it is taken to mean, and its verdict."

NOTES = r"""# Constant steps on a quadratic

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| A | symmetric positive definite matrix | curvature |
| C | symmetric positive definite matrix | gradient noise covariance |
| S | whole number | minibatch size |
| m | positive | |
| n | whole number | |
| mu | in (0, 1] | friction |

Sampler: SGD, in discrete time.

**Claim 1** (Eq. 3). SGD solves a Lyapunov equation:
$$
A \Sigma + \Sigma A = \frac{h}{S} C
$$

**Claim 2** (Eq. 4). To first order in $h$, $A \Sigma + \Sigma A = \frac{h}{S} C$.

**Claim 3** (section 2). The chain is stable if and only if h < 2/lambda_max(A).

**Claim 4** (section 2). $\Sigma$ commutes with $A$ if and only if $C$ does.

**Claim 5** (Eq. 6). In the limit, $\mathrm{KL}(q \,\|\, p)$ is minimised at
$h = \frac{2 D S}{N \operatorname{tr} C}$.

Heavy balls are two lines:

```sampler heavy_ball
v' = (1 - mu) v - h g(theta)
theta' = theta + v'
```

**Claim 6** (section 3). In continuous time, E[theta v^T] + E[v theta^T] = 0.

**Claim 7** (section 3). In continuous time, mu E[theta^T A theta] does not depend on mu.

Sampler: none

**Claim 8** (appendix). If $hm < 1$, then $\sum_{k=0}^{n-1} (1 - hm)^k = \frac{1 - (1 - hm)^n}{hm}$.

**Claim 9** (appendix). e^{-h m} = 1 - h m + O(h^2), and 1 - h m <= e^{-h m}.
"""
OURS = r"""# Leimkuhler and Matthews, with minibatches

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| T | positive | temperature |
| beta | in [0, 1) | momentum |

```sampler plain
theta' = theta - h g(theta)
```

```sampler averaged_noise
xi ~ N(0, I)
theta' = theta - h g(theta) + sqrt(h T/2) (z + xi)
z' = xi
```

```sampler heavy
v <- beta v - h g(theta)
theta <- theta + v
```

Sampler: averaged_noise, in discrete time.

**Claim 1.** $\Sigma = T A^{-1} + \Sigma_{plain}$.

Sampler: heavy, in discrete time.

**Claim 2.** $\Sigma[h \to (1 - \beta) h] = \Sigma_{plain}$.

**Claim 3.** If S = 1, beta < 1/2 and h < 1, then $\Sigma = E_{plain}[\theta \theta^T]$.
"""
LATEX = r"""\begin{tabular}{lll}
letter & kind & what it is \\
$a, b$ & positive & \\
\end{tabular}

\begin{lemma}[Lemma 1]\label{lemma:means}
For all $a, b > 0$, $\sqrt{ab} \le \frac{a + b}{2}$.
\end{lemma}

Sampler: sgd

\begin{claim}[Eq. 5]
The stationary covariance solves
\begin{equation}
A \Sigma + \Sigma A = \frac{\epsilon}{S} C .
\end{equation}
\end{claim}
"""
_OURS = {
    "step": "the step of the sampler, whatever it is called there",
    "largest": "lambda_max(A)",
    "smallest": "lambda_min(A)",
    "both": "lambda_min(A) of the first, lambda_max(A) of the second letter",
}


def blocks() -> tuple[Block, ...]:
    """A text that is judged, how it is read, and the table of what can be written."""
    files = {"notes.md": NOTES}
    return (
        Paragraph(
            prose(
                "A statement is a paragraph that begins with its name, `**Claim 3** (Eq. 7).`: Claim,"
                " Theorem, Lemma, Proposition, Corollary, Statement or Observation. Where none has a"
                " name, those of a numbered list that have a formula are. Words before a colon are its"
                " title, without hypotheses; in italics, as `*Not for every step*:`, it may hold any"
                " words; everything else is read, hypotheses too. Nothing of a text is executed. What"
                " stands in the round brackets is its place; `(as commonly stated)` says that no work"
                " is held to the wording."
            )
        ),
        Code(NOTES, "markdown", prose("`notes.md`")),
        *command("sgtheory verify notes.md", files),
        Paragraph(
            prose(
                "`--show` judges nothing: it says how each statement was read, what its letters"
                " were taken to"
                " be, and the Python that says the same. `report` puts this on each page."
            )
        ),
        *command("sgtheory verify notes.md --show --only claim5", files),
        Heading(2, "What one writes, and what it is taken to mean"),
        Paragraph("Each line was read while this page was made; plain formulas and LaTeX may be mixed."),
        Table(
            ("what one writes", "it is taken to mean", "of"), tuple(_meant(*one) for one in SENTENCES)
        ),
        Paragraph(
            prose(
                "Hypotheses begin with if, for, for all, where, with, when, let, assume, suppose or"
                " provided."
                " In discrete time is the algorithm as it runs; in the limit, or in continuous"
                " time, the process."
                " A name that is no letter is the product of its letters: `hA` is `h A`. Between two"
                " formulas stands if, and, or then; a comma alone says nothing."
                " `there are a, b with` names every letter of what follows, and `there is no a with`"
                " is said for all others; of one value among others the value is said."
                " A chain `is reversible` where its law is normal, its state one, and its step I minus a"
                " number times A. Minibatches may be drawn `without replacement` or `with replacement`."
                " `has exactly one solution X`: linear in X; around a matrix, functions of one matrix."
            )
        ),
        Heading(2, "Spelling decides nothing"),
        Paragraph(
            prose(
                "One statement has one verdict however it is spelt: sides may be exchanged, moved over"
                " or multiplied by what is positive, chains of inequalities split, hypotheses stand in"
                " front (`if ..., then`; without `then` a list ends at the comma after its `and`),"
                " behind (`provided that`, `whenever`, `for every h with`, `in case`, `unless`), or"
                " before `implies`, `=>`. `if and only if`, `exactly for`, `precisely when`,"
                " `is necessary and sufficient for` and a condition with `and only then` are judged in"
                " both directions, and either side may be the condition; `only if` alone says that the"
                " statement fails elsewhere. What the table of letters says anyway, such as `0 < h a`"
                " of positive letters, is no condition. Where a chain is stable may be said of"
                " `lambda`, any eigenvalue of the curvature, of `lambda_i` for all i, of"
                " `lambda_max(A)`, as an order of matrices, `h A < 2 I`, or with `D = 1`. What is said"
                " of `lambda` as a hypothesis of anything else is said of every eigenvalue. Several"
                " things at once, `the chain is stable and Sigma = ...`, are judged together, or each"
                " by itself: one that is refuted refutes them all, and conditions are joined."
            )
        ),
        Table(
            ("what one writes", "it is taken to mean", "of"), tuple(_meant(*one) for one in SPELLINGS)
        ),
        Heading(2, "Letters"),
        Paragraph(
            prose(
                "Letters are declared in a table under a head `letter`, or in lines before the"
                " first statement:"
                " `h | positive | step size`. A line such as `m <= M` is given wherever both occur."
                " Without a"
                " line, `A`, `C`, `N`, `S`, `D`, `I` are the curvature, the noise, the sizes and"
                " the identity, and"
                " with a sampler so are `Sigma`, its parameters, and `theta` under a mean."
            )
        ),
        Table(("kind", "as may be said"), tuple(_kinds())),
        Paragraph(
            prose(
                "A kind may be a range, whose ends are numbers: `in [0, 1)`, `in (1/2, 2]`,"
                " `at least 2`, `whole number, at least 2`, `nonnegative`. A letter in `[0, 1)`, or"
                " one that is nonnegative, may be zero: `if beta = 0` can be given, and `<` is false"
                " where both sides are equal there, unless `beta > 0` is given. Between if and"
                " then a comma is and: `if S = 1, a < b and n >= 2, then ...`."
                " A line of letters, or a sampler, that is not understood is told once,"
                " with the statements that wait for it."
            )
        ),
        Paragraph("The third column may say what a letter is of the problem, or of the sampler:"),
        Table(("what it is", "ours"), tuple((said, _OURS.get(own, own)) for said, own in ROLES.items())),
        Heading(2, "Samplers"),
        Paragraph(
            prose(
                "`Sampler: sgld, in discrete time.` names one of ours for the statements below it;"
                " `Sampler: none`"
                " ends that. Lines of updates in a block `sampler NAME` declare another: a prime,"
                " or `_{t+1}`, is"
                " the state after the step; `g(theta)` is a minibatch's gradient of the mean loss,"
                " `grad(theta)`"
                " that over all data, and so is `A theta`; `xi ~ N(0, I)` is a noise. The position is"
                " `theta`, or what gradients are taken at."
                " `Sampler: NAME, in discrete time.` names one of the text's own. Beside it,"
                " `Sigma_{NAME}` and `E_{NAME}[...]` are of the law of another sampler, ours or the"
                " text's; `[h -> h/2]` after them changes a letter of that law."
                " `long_run` is the sum over all lags of the stationary covariances, `tau_int(theta)`"
                " the integrated autocorrelation time of the first coordinate, `tau_int(theta^2)` that"
                " of its square."
                " `W_2`, `TV` and `KL` are of normal laws: `q` is the sampler's, `N(0, V)` any other;"
                " `TV` has a formula in one dimension. `W_2(lmc, target)` of a sampler of ours that"
                " this is known of is for any convex potential."
            )
        ),
        Code(OURS, "markdown", prose("`ours.md`")),
        *command("sgtheory verify ours.md", {"ours.md": OURS}),
        Paragraph(
            prose(
                "A coefficient that is drawn anew at each step is a line `c ~ (m, s^2)`, its mean and"
                " its variance, or `c has mean m and variance s^2`; several are independent. Then the"
                " chain is stable where its second moments settle, and these are told in one coordinate:"
                " where no gradient is taken, or with `D = 1`, or where the curvature is a number times"
                " the identity. What is given as such a number, `A = a I`, `C = b I`, `C = b A`, is put"
                " in, and so is what a parameter is, `h = eta (1 - beta)`, and a matrix of the sampler"
                " that an equation makes a function of the curvature, `Q (I + h/2 A) = I`, where no"
                " minibatches are drawn; an update may have the state that it makes on its right side,"
                " `theta' = theta - h grad(theta')`, and is solved for it on the quadratic. The"
                " statement is one about numbers then, and the formula of the law is given. A line may"
                " name a part, `u = v - h/2 grad(theta)`, `v_{k+1/2} = ...`; `v <- ...` is in place."
            )
        ),
        Code(RANDOM, "markdown", prose("`random.md`")),
        *command("sgtheory verify random.md", {"random.md": RANDOM}),
        Paragraph(
            prose(
                "A sampler may have matrices of its own: those of the table, diagonal, symmetric,"
                " positive definite or any, with sums, inverses and roots of them, `(I - h P A) theta`,"
                " `A^{-1} g(theta)`, `P^{1/2} xi`, `(2 h T I - h^2 C)^{1/2} xi`. Nothing of them has to"
                " commute: its law is an equation in words, and what solves that is the law. A matrix"
                " may be given by an equation, `P A = I`, `A P + P A = h C`, `Q Q = 2 h T I - h^2 C`,"
                " beside any sampler. A root stands for itself in covariances, where its square is."
                " An order of Sigma and such a matrix is proved by what drives their difference. Laws"
                " of several states are compared and refuted; a formula for one of them is proved"
                " where it is an equation of the law."
            )
        ),
        Code(MATRICES, "markdown", prose("`matrices.md`")),
        *command("sgtheory verify matrices.md", {"matrices.md": MATRICES}),
        Paragraph(
            prose(
                "A chain with steps that fall, or that begins somewhere, is a random sequence in one"
                " dimension, with `Sampler: none`: its rule is a hypothesis, `x_n = x_{n-1} - h_n (a"
                " x_{n-1} + s xi_n)`, steps may be formulas (`h/n`, `h n^{-alpha}`), noises are of this"
                " step or the one before. `E[x_n]`, `E[x_n^2]` and `Var(x_n)` are then said for every"
                " number of steps, by induction, or far out, where conditions are found:"
                " `n E[x_n^2]` tends to a number only if steps are long enough. The start is"
                " `x_0 = u`, or `E[x_0^2] = c`; without it, any number."
            )
        ),
        Heading(2, "Steps that are not linear"),
        Paragraph(
            prose(
                "A block whose one line adds a number to its state, `x' = (1 - h a) x + b`, without a"
                " gradient, or has an open function, `sign`, `clip_c`, `|x|`, `tanh`, `sin`,"
                " `cos`, `max`, `min` or a power of the state is a chain on a line; its noises are"
                " standard normal. With the new state inside it is implicit, `x' = x - h U'(x')`."
                " `U'` and `U''` are derivatives of a function of the table, at the state where none is"
                " named. `E[...]`, `Var(...)` and `Cov(..., ...)` are under the law at which it settles,"
                " `E_{NAME}[...]` under that of another chain of the text, and `E_pi[...]`,"
                " `Cov_pi(..., ...)` under a density of the table:"
                " `pi | density exp(-U(x)/T)`. `x^T y` is the sum over D coordinates of one law."
                " Decided are first terms as the step vanishes, in one dimension and for potentials that"
                " are smooth; equations between means that follow from a step's leaving the means of"
                " powers as they are; and how many stationary laws there are: `has a stationary law`,"
                " `has exactly one ...`, `has no ...`, each also `for all small enough h`; of vectors C"
                " has to be positive definite for it, or a step to have noise of its own. Of SGD and of"
                " signs means are known to three powers of the step, where the one minimum is at 0."
            )
        ),
        Code(BENT, "markdown", prose("`bent.md`")),
        *command("sgtheory verify bent.md", {"bent.md": BENT}),
        Heading(2, "Noise of another law"),
        Paragraph(
            prose(
                "A noise may have a law that is named: `xi ~ uniform(l, r)`, `signs` (1 or -1, equally"
                " likely), `Laplace(b)`, `Student(nu)`, `Exp(1)`, `Bernoulli(p)`, `N(m, v)`; or"
                " cumulants: `xi has mean 0, variance c, third cumulant k`. On a line. Where its"
                " step is linear in its place, all moments are known: `E[x^4]`, `Skew(x)`, `Kurt(x)` (3"
                " of a normal law), also with slopes that are drawn; and which law it is: `is normal`,"
                " `is uniform on an interval`, `is Laplace`."
            )
        ),
        Code(DRAWN, "markdown", prose("`drawn.md`")),
        *command("sgtheory verify drawn.md", {"drawn.md": DRAWN}),
        Heading(2, "Orders, and how far they hold"),
        Paragraph(
            prose(
                "`<=`, `<`, is positive definite, `increases with` and `decreases with` stand"
                " between numbers, matrices, and laws at two steps or of two samplers. With"
                " `if D = 1` every matrix is a number: the closed form of the law is put in, and an"
                " order that fails somewhere is told with the widest bound of a product of letters"
                " within which it is proved."
            )
        ),
        Code(ORDERS, "markdown", prose("`orders.md`")),
        *command("sgtheory verify orders.md", {"orders.md": ORDERS}),
        Heading(2, "Best values, and epochs"),
        Paragraph(
            prose(
                "`is least at h = ...`, `is largest at`, `the minimiser of ... over b in (-1, 1) is`,"
                " `the h that minimises ... is` and `argmin` choose a letter among the values that"
                " obey what is given of it. A proof shows the sign of the derivative on both sides, or"
                " that it is convex there; an end that is given may be best. What is false gets the"
                " right value, a condition, or that no value is best. `h a = 1` may stand for the step."
                " A line `examples in a fresh random order in every epoch`, or `minibatches are"
                " reshuffled`, in a block of one update is random reshuffling of `N` examples, looked at"
                " after each epoch: in one coordinate its law is a formula for every `N`."
            )
        ),
        Code(BEST, "markdown", prose("`best.md`")),
        *command("sgtheory verify best.md", {"best.md": BEST}),
        Heading(2, "LaTeX"),
        Paragraph(
            prose(
                "In `notes.tex` statements are environments, `claim`, `theorem`, `lemma`,"
                " `proposition`,"
                " `corollary`, `statement` or `observation`, and are counted; updates stand in an"
                " environment"
                " `sampler`."
            )
        ),
        Code(LATEX, "latex", prose("`notes.tex`")),
        *command("sgtheory verify notes.tex", {"notes.tex": LATEX}),
        Heading(2, "What is said in Python alone"),
        Paragraph(
            "Rows with noise (a step, a process), densities that a diffusion keeps, weak orders,"
            " solutions of a process, regret, and two algorithms with a change of variables are stated"
            " in Python, as the page on statements shows. Means and covariances of a sampler after k"
            " steps have no words yet, in either."
        ),
        Heading(2, "What is not understood"),
        Paragraph("It is one line, with its place and what may be meant; the other statements go on."),
        Table(("what one writes", "which is", "it says"), tuple(_refused(*one) for one in WRONG)),
    )


def letters() -> Letters:
    """The letters of the table."""
    return Letters(tuple(r for one in ROWS if (r := row(*one)) is not None))


def _meant(sentence: str, of: str) -> tuple[Any, Any, Any]:
    _, found = Sentence(sentence, letters(), of).stated()
    text: str = found["statement"].text()
    given = [one.text() if hasattr(one, "text") else str(one.words) for one in found["given"]]
    given += [f"{a} = {value}" for a, value in found["numbers"].items()]
    text += f", given {' and '.join(given)}" if given else ""
    text += ", in discrete time" if found["time"] == "discrete" else ""
    return prose(f"`{sentence}`"), prose(f"`{text}`"), found["of"] or ""


def _kinds() -> list[tuple[Any, Any]]:
    kinds = dict.fromkeys(KINDS.values())
    return [(kind, "; ".join(said for said, k in KINDS.items() if k == kind)) for kind in kinds]


def _refused(sentence: str, which: str) -> tuple[Any, Any, Any]:
    """What is said of a statement that is not understood."""
    text = f"a, b, h | positive\nn | whole number\n\nSampler: sgd\n\n**Claim 1.** {sentence}\n"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "notes.md"
        write(path, text)
        (error,) = read(path).refused
    return prose(f"`{sentence}`"), which, str(error)

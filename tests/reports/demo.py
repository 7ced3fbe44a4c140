"""A small report with real content: the golden example of the emitters, and what one looks at."""

from __future__ import annotations

from functools import cache

from reports.document import (
    Bullets,
    Code,
    Details,
    Equation,
    EquationRef,
    Figure,
    Heading,
    Link,
    Math,
    Mono,
    Note,
    Number,
    Page,
    Paragraph,
    Step,
    Steps,
    Strong,
    Table,
    Verdict,
    VerdictWord,
    prose,
)

HOME = Link("All claims", "index")

# Formulas that break weaker converters; each is looked at in a browser too.
FORMULAS = {
    "aligned": r"\begin{aligned} P_{ij} &= (1-\epsilon\lambda_i)\,P_{ij}\,(1-\epsilon\lambda_j)"
    r" + \frac{\epsilon^2}{S}\,C_{ij} \\ &= \frac{\epsilon\, C_{ij}}"
    r"{S\,(\lambda_i + \lambda_j - \epsilon\lambda_i\lambda_j)} \end{aligned}",
    "matrices": r"M(\lambda) = \begin{pmatrix} 1 - \epsilon\lambda & 1-\mu \\ -\epsilon\lambda & 1-\mu"
    r" \end{pmatrix}, \qquad \det \begin{bmatrix} a & b \\ c & d \end{bmatrix}"
    r" = \begin{vmatrix} a & b \\ c & d \end{vmatrix}",
    "cases": r"f(x) = \begin{cases} \dfrac{x^2}{2} & \text{if } |x| \le \delta, \\ "
    r"\delta\left(|x| - \tfrac{1}{2}\delta\right) & \text{otherwise} \end{cases}",
    "accents": r"\widehat{\theta}_{t+1} + \widehat{xyz} + \widetilde{AB} + \hat{g}(\theta) + \bar{x}"
    r" + \overline{x + y} + \vec{v} + \dot{q} + \underline{z}",
    "letters": r"\mathbb{E}\left[\theta \theta^{\top}\right] \in \mathbb{R}^{D \times D}, \quad "
    r"\mathcal{L}(\boldsymbol{\theta}) \sim \mathcal{N}(\mathbf{0}, \boldsymbol{\Sigma}),"
    r" \quad \varepsilon, \epsilon, \vartheta, \varphi, \phi, v, \nu",
    "operators": r"\operatorname{Tr}\left(A^{-1} B B^{\top}\right) + \operatorname{diag}(\lambda) +"
    r" \operatorname*{arg\,min}_{H \succ 0} \, \mathrm{KL}(q \,\|\, f)",
    "sums": r"\frac{1}{N} \sum_{n=1}^{N} \nabla \ell_n(\theta) = \prod_{k=0}^{\infty} a_k"
    r" \int_{-\infty}^{\infty} e^{-x^2/2} \, dx = \lim_{t \to \infty} \sqrt{2\pi}\,\sqrt[3]{t}",
    "underbrace": r"\underbrace{\frac{\epsilon}{2}\left(A^{-1}C + C A^{-1}\right)}_{\text{leading}}"
    r" + \overbrace{\epsilon^2 (\cdots)}^{\text{left out}}",
    "fences": r"\left\lVert \frac{a}{\displaystyle\sum_i b_i} \right\rVert_2^2 \le \left\langle x,"
    r" \left.\frac{dy}{dt}\right|_{t=0} \right\rangle \lfloor s \rfloor \lceil u \rceil",
    "arrows": r"a \xrightarrow{\ \epsilon \to 0\ } b \implies c \iff d \mapsto e, \quad"
    r" \sup_{x \in X} f'(x) + f''(x) \coloneqq \partial_t^2 \rho",
    "block": r"\left(\begin{array}{cc|c} A & B & x \\ C & D & y \\ \hline 0 & 0 & 1 \end{array}\right)"
    r" \otimes I_{m^2}",
}


@cache
def claim() -> Page:
    """A claim with everything that a page can hold."""
    return Page(
        slug="mandt2017.eq13",
        title="Stationary covariance of constant SGD (Eq. 13)",
        kind="claim",
        summary="What the covariance of the iterates is, once the initial value has been forgotten.",
        trail=(HOME, Link("Stochastic gradient descent as approximate inference", "index#mandt2017")),
        blocks=(
            Paragraph(
                (
                    Strong("Equation 13"),
                    *prose(" says that the stationary covariance $\\Sigma$ of the iterates satisfies"),
                )
            ),
            Equation(
                r"\Sigma A + A \Sigma = \frac{\epsilon}{S}\, B B^{\top}",
                label="printed",
                text="Sigma A + A Sigma = eps/S B B^T",
            ),
            Verdict(
                "limit-only",
                prose(
                    "True of the continuous-time limit; the algorithm differs at order $\\epsilon^2$."
                ),
            ),
            Heading(2, "What is true instead"),
            Paragraph(
                prose(
                    "In the eigenbasis of $A$, with $C = B B^{\\top}$ there and eigenvalues"
                    " $\\lambda_i$, every entry of the exact covariance is"
                )
            ),
            Equation(
                r"P_{ij} = \frac{\epsilon\, C_{ij}}"
                r"{S\,(\lambda_i + \lambda_j - \epsilon\lambda_i\lambda_j)}",
                label="exact",
                alt="P i j equals epsilon C i j over S times lambda i plus lambda j minus epsilon times"
                " lambda i lambda j",
            ),
            Heading(2, "Why"),
            derivation(),
            Heading(2, "The smallest numbers that show it"),
            Paragraph(
                (
                    "Take one dimension with ",
                    Math(r"\lambda = C = S = 1"),
                    " and ",
                    Math(r"\epsilon = \tfrac{1}{2}"),
                    ". Equation ",
                    EquationRef("printed"),
                    " gives ",
                    Number("1/4"),
                    ", equation ",
                    EquationRef("exact"),
                    " gives ",
                    Number("1/3"),
                    ". A million chains gave ",
                    Number("0.33341", "estimated", "0.00047"),
                    "; the operator method ",
                    Number("0.33333333", "certified", "4e-12"),
                    ".",
                )
            ),
            Code('{"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1, "params": {"eps": "1/2"}}', "json"),
            Heading(2, "How big the difference is"),
            drawing(),
            numbers(),
            Note("caution", (Paragraph(prose("Beyond $\\epsilon\\lambda = 2$ there is no such law.")),)),
            Heading(2, "What was tried to break it"),
            Bullets(
                (
                    prose("**41 of 41** wrong twins were rejected."),
                    prose(
                        "The smallest relative error that would have been seen is $2 \\cdot 10^{-3}$."
                    ),
                )
            ),
            Heading(2, "Run it again"),
            Code("sgtheory verify mandt2017.eq13", "sh"),
            Details("BibTeX", (Code(BIBTEX, "bibtex"),)),
        ),
    )


def derivation() -> Steps:
    """Three steps."""
    return Steps(
        (
            Step(
                "Write one step",
                prose("The gradient noise is fresh at every step and has covariance $C/S$."),
                (
                    Equation(
                        r"\theta_{t+1} = (I - \epsilon A)\,\theta_t + \frac{\epsilon}{\sqrt{S}}\,B w_t"
                    ),
                ),
            ),
            Step(
                "Take the covariance",
                prose("Stationarity: the same covariance $P$ stands on both sides."),
                (
                    Equation(
                        r"P = (I - \epsilon A)\, P\, (I - \epsilon A)^{\top} + \frac{\epsilon^2}{S}\, C",
                        label="stein",
                    ),
                ),
                checked="at 12 exact rational problems",
            ),
            Step(
                "Solve in the eigenbasis",
                ("Entry by entry, equation ", EquationRef("stein"), " is a linear equation."),
                (Equation(FORMULAS["aligned"]),),
                checked="by substitution, as polynomials",
            ),
        )
    )


def numbers() -> Table:
    """Numbers of all three kinds."""
    rows = (
        ("1/10", Number("1/19"), Number("0.05265", "estimated", "0.00007"), Number("1/20")),
        ("1/2", Number("1/3"), Number("0.33341", "estimated", "0.00047"), Number("1/4")),
        ("1", Number("1"), Number("1.0004", "estimated", "0.0014"), Number("1/2")),
    )
    return Table(
        (Math(r"\epsilon"), "exact law", "measured", "as printed"),
        rows,
        caption=prose("The variance for $\\lambda = C = S = 1$; a million chains each."),
    )


def drawing() -> Figure:
    """The exact curve with measured points."""
    from reports.figures import curve

    steps = [k / 50 for k in range(1, 91)]
    return curve(
        steps,
        {"exact": [e / (2 - e) for e in steps], "as printed": [e / 2 for e in steps]},
        name="variance-over-step",
        alt="The exact variance grows without bound as the step nears 2; the printed one is a line.",
        x_label=r"step size $\epsilon$",
        y_label="stationary variance",
        caption=prose("The exact variance, the printed formula, and measured points, over the step."),
        measured=((0.1, 0.05265, 0.00007), (0.5, 0.33341, 0.00047), (1.0, 1.0004, 0.0014)),
        limit=(1.8, "unstable beyond 2"),
        log_y=True,
    )


def index() -> Page:
    """The first page."""
    rows = (
        (Link("Eq. 13", "mandt2017.eq13"), "Stationary covariance of constant SGD",
         VerdictWord("proved"), VerdictWord("limit-only")),
        (Link("Theorem 1", "formulas"), "The step size that minimises the divergence from the posterior",
         VerdictWord("proved-if"), VerdictWord("refuted")),
        ("Section 5.1", "Stationarity of the Langevin diffusion with a full preconditioner",
         VerdictWord("refuted"), VerdictWord("inconclusive")),
    )  # fmt: skip
    return Page(
        slug="index",
        title="What the papers say, and what is so",
        kind="index",
        summary="Claims about stochastic-gradient samplers, held against the law they really have.",
        blocks=(
            Heading(2, "Stochastic gradient descent as approximate inference", "mandt2017"),
            Table(
                ("where", "claim", "as printed", "for the discrete algorithm"),
                rows,
                caption="The last column holds the same statement against the discrete algorithm.",
            ),
            Paragraph(
                (
                    "The paper: ",
                    Link("the journal's page", "https://jmlr.org/papers/v18/17-214.html"),
                    ".",
                )
            ),
        ),
    )


def formulas() -> Page:
    """Formulas that break weaker converters."""
    blocks = [b for name, latex in FORMULAS.items() for b in (Heading(2, name.title()), Equation(latex))]
    inline = (
        "Inline: ",
        Math(r"\hat{g}_S(\theta) = \frac{1}{S}\sum_{n \in \mathcal{S}} \nabla \ell_n(\theta)"),
        ", typed ",
        Mono("a_b | c"),
        ".",
    )
    return Page(
        slug="formulas",
        title="Formulas",
        kind="gallery",
        trail=(HOME,),
        blocks=(Paragraph(inline), *blocks),
    )


@cache
def pages() -> tuple[Page, ...]:
    """The report."""
    return index(), claim(), formulas()


BIBTEX = """@article{mandt2017stochastic,
  title = {Stochastic Gradient Descent as Approximate {Bayesian} Inference},
  author = {Mandt, Stephan and Hoffman, Matthew D. and Blei, David M.},
  journal = {Journal of Machine Learning Research},
  volume = {18}, number = {134}, pages = {1--35}, year = {2017}
}"""

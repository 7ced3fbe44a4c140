"""A step function of one's own, held against the law that it should have."""

from __future__ import annotations

from reports.document import Block, Bullets, Code, Heading, Paragraph, prose
from reports.guide._running import command
from verification.checking.written import FORMS, written

TITLE = "Check your sampler"
SUMMARY = "Does an implementation sample the law that its algorithm has? If not, which fault is it?"

RIGHT = """\
import numpy as np

def step(theta, gradient, rng, eps, N, H):
    noise = rng.normal(size=theta.shape) @ np.linalg.cholesky(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + eps**0.5 * noise
"""
PLAIN = """\
import numpy as np

def step(theta, gradient, rng, eps, N):
    noise = rng.normal(size=theta.shape)
    return theta - eps / 2 * N * gradient(theta) + eps**0.5 * noise
"""
IN_PLACE = """\
import numpy as np

def step(theta, gradient, rng, eps, N):
    theta -= eps / 2 * N * gradient(theta)
    theta += eps**0.5 * rng.normal(size=theta.shape)

step.in_place = True
"""
UNTOLD = """\
import numpy as np

def step(state, gradient, rng, lr, momentum, num_data):
    v = momentum * state["v"] - lr * num_data * gradient(state["theta"])
    v += np.sqrt((1 - momentum) * lr) * rng.normal(size=v.shape)
    return {"theta": state["theta"] + v, "v": v}
"""
WRONG = RIGHT.replace("eps**0.5 * noise", "eps * noise")


def blocks() -> tuple[Block, ...]:
    """The right step, and one with a common fault."""
    return (
        Paragraph(
            prose("A step of SGLD with a gain $H$ in `mine.py`; the gradient is that of the mean loss:")
        ),
        Code(RIGHT, "python"),
        *command("sgtheory check mine.py:step --like sgld", {"mine.py": RIGHT}),
        Heading(2, "A fault that no picture shows"),
        Paragraph("The same with the step in place of its root before the noise:"),
        *command("sgtheory check mine.py:step --like sgld", {"mine.py": WRONG}),
        Paragraph("A test that looks at means, shapes and plots passes both."),
        Heading(2, "The form of a step"),
        Paragraph(
            prose(
                "`sgtheory new step FILE.py --for SAMPLER --in numpy`, or `torch` or `jax`, writes any"
                " declared sampler in the form that is taken. NumPy and PyTorch see all chains at once,"
                " JAX one chain. What a chain keeps goes by its declared names:"
            )
        ),
        *(Code(written("sghmc_velocity_first", kind).text, "python") for kind in FORMS),
        Bullets(
            (
                prose("$H$ and $E$ are matrices (D, D); $N$, $S$ and `mode` come where they are named."),
                prose("One minibatch at two points: `batch = gradient.draw(theta)`, or in JAX one key."),
                prose("All the data: `gradient.full(theta)`. The number of steps before: `t`."),
                prose(
                    "An optimizer of PyTorch, an optax transform, a program are taken as they are; what"
                    " is judged is their position, and of an average that is declared the average."
                ),
            )
        ),
        Heading(2, "What a step does not name"),
        Paragraph(
            prose(
                "Parameters go by name. One that a step has no name for has its declared default, and"
                " the first line of the report says so; here $H$ is the identity:"
            )
        ),
        Code(PLAIN, "python"),
        *command("sgtheory check plain.py:step --like sgld", {"plain.py": PLAIN}),
        Paragraph(
            prose(
                "Other names are formulas beside those that match: `--with step_size=eps/2`."
                " A constant in the code is `--fix eps=0.01`. `--loss sum` hands over the gradient of"
                " the summed loss."
            )
        ),
        Heading(2, "When you do not know what it is"),
        Paragraph(
            prose(
                "Without `--like` it is found out which declared sampler has the law of a step,"
                " out of all of them, and what its parameters are in the step's own letters:"
            )
        ),
        Code(UNTOLD, "python"),
        *command("sgtheory check untold.py:step", {"untold.py": UNTOLD}),
        Paragraph(
            prose(
                "The step is run on random problems with random numbers for all that it asks for."
                " Two runs that draw the same noise from two starts differ by the drift alone,"
                " which is so known to ten digits: a drift that differs by the square of the step"
                " is another one. The noise is held against exact laws. A sampler that has the same law,"
                " or one that the measurements do not tell from it, is named too."
                " Where no declared sampler has the law, the law that was measured is told with its"
                " errors, and which declarations have its drift; the exit"
                " status is 3 then, and 0 where a sampler was named. What is not linear is run against"
                " the declarations whose letters it speaks. `--json` and `--page` say the same."
            )
        ),
        Heading(2, "A step that works in place"),
        Paragraph(
            prose(
                "A step returns the next state and leaves the one that it is given alone."
                " One that writes into it says so, and may then return nothing:"
            )
        ),
        Code(IN_PLACE, "python"),
        Paragraph(
            prose(
                "Random numbers come from `rng`. NumPy's global generator (`np.random.normal`) is seeded"
                " for each run, so that a step that draws from it is judged too; a note says so."
            )
        ),
        Heading(2, "In continuous integration"),
        Bullets(
            (
                prose("`--json` writes one document; `--against OLD.json` says what changed since."),
                prose(
                    "`--junit FILE.xml` has a test for each problem, `--sarif FILE.sarif` the finding,"
                    " `--badge FILE.svg` the verdict as a small picture for a README."
                ),
                prose(
                    "On GitHub, `uses: OWNER/sgtheory@COMMIT` with `target: mine.py:step` and"
                    " `like: sgld` is a step of a job; pre-commit has the hook `sgtheory-check`."
                ),
                prose("`sgtheory new test --library torch` writes a test of a library's samplers."),
            )
        ),
        Heading(2, "What a step can do to you"),
        Paragraph(
            "A step runs in a process of its own. One that never comes back, takes all memory, ends its"
            " process, starts others, prints anything or breaks NumPy there is a finding within the"
            " limit, and all that it started ends with the check. `--memory`, `--processes` and"
            " `--output` set how much it may take, `--limit` how long. This is no sandbox:"
        ),
        Bullets(
            (
                prose("A step may do with your files and your network what you may do."),
                prose(
                    "A step that means to deceive can look for the files in which its answers are"
                    " handed over, and write there what it likes."
                ),
                prose(
                    "On Linux, a process that leaves its session is known by its environment; one that"
                    " wipes that too, and other systems' ones, can stay."
                ),
                prose(
                    "Files of claims and of samplers, and plug-ins, are run by the command itself, as"
                    " `python FILE` would run them: a loop or an exit there is the command's."
                ),
                prose(
                    "A plug-in that is not loaded after a minute is left out, and functions of"
                    " NumPy, SymPy or `sgtheory` that it replaced are put back. A thread"
                    " that it starts ends with the command, a process goes on, and what it does inside"
                    " objects is not seen."
                ),
            )
        ),
    )

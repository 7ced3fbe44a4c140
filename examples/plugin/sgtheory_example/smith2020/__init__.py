"""An invented paper with one claim."""

from verification.library import Paper

PAPER = Paper(
    key="smith2020",
    title="How much a heavy ball shakes",
    authors="Anna Smith",
    year=2020,
    venue="An invented journal",
    bibtex="""@article{smith2020,
  author  = {Smith, Anna},
  title   = {How much a heavy ball shakes},
  journal = {An invented journal},
  year    = {2020}
}""",
)

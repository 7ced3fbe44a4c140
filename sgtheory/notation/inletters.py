"""How the words of the language show themselves in SymPy's printers: ``sp.latex``, ``pprint``."""

from __future__ import annotations

from typing import Any


class Written:
    r"""A symbol or function of the language: SymPy asks it for its LaTeX, and gets that of our pages.

    >>> import sympy as sp
    >>> from sgtheory import derive, samplers
    >>> print(sp.latex(derive(samplers.sgd).stability.limit), sp.latex(samplers.sgd.SGD.updates[0][1]))
    \frac{2}{\lambda} - \epsilon H \hat{g}(\theta) + \theta
    """

    def _latex(self, printer: Any, *args: Any, **how: Any) -> str:
        from sgtheory.notation.printing import Latex

        ours = printer if isinstance(printer, Latex) else Latex(_known(printer._settings))
        for kind in type(self).__mro__:
            write = getattr(ours, f"_print_{kind.__name__}", None)
            if write is not None:
                return str(write(self, *args, **how))
        raise NotImplementedError(f"no way to print {type(self).__name__}")


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    """What a printer was told, without what it made of that itself."""
    from sympy.printing.latex import LatexPrinter

    return {key: value for key, value in settings.items() if key in LatexPrinter._default_settings}


class WrittenWord(Written):
    """A function of the language: in SymPy's two-dimensional text it is one line, as in ours."""

    def _pretty(self, printer: Any) -> Any:
        from sympy.printing.pretty.stringpict import prettyForm

        from sgtheory.notation.printing import plain

        return prettyForm(plain(self))

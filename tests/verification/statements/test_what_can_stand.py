"""How many classes can stand in a claim's statement: a reader has to know all of them."""

import importlib
import inspect
import pkgutil

import verification
from verification.relations import All, Equal
from verification.relations.base import Relation
from verification.statements.entry import Claim

ROOMS = ("relations", "statements", "terms", "theories", "refuter", "laws")
MOST = 14
ASKED = ("relations", "letters", "put", "text", "at")  # of a statement


def classes():
    """Those that can be asked at a place: neither claims, nor what relations have in common."""
    found = set()
    for room in ROOMS:
        package = importlib.import_module(f"{verification.__name__}.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
            found |= {c for _, c in members if all(hasattr(c, name) for name in ASKED)}
    return {
        c.__name__
        for c in found
        if not issubclass(c, Claim)
        and not (issubclass(c, Relation) and (c.at, c.prove) == (Relation.at, Relation.prove))
    }


def test_few_classes_can_stand_in_a_statement():
    found = classes()
    assert {All.__name__, Equal.__name__} <= found
    assert len(found) <= MOST, sorted(found)

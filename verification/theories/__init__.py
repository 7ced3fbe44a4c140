"""Theories: what is known of words. A folder each, found by scanning; none knows another.

A theory's ``words.py`` declares its words. It answers what relations ask: ``vanishes(left, right)``, and
``has_sign(left, right, wanted)`` where it can. It knows no relation.
"""

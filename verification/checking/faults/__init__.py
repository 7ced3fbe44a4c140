"""Faults of samplers: a generated family, the exact law of each member, and what to say of it.

``variant`` has laws, ``edits`` and ``operators`` the family, ``scales``, ``fitting`` and ``naming`` its
continuous members, ``conventions`` other declared samplers with translated parameters, ``search`` the
order in which all this is tried, and ``clues`` what is told when nothing fits.
"""

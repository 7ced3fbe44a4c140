"""Checks, a file each: ``look`` or ``look_at_all``, and entries ``bad`` and ``good`` to try it on."""

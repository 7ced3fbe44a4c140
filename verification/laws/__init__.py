"""Laws of samplers, in exact numbers and at pairs of modes."""

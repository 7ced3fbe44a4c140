"""Finding the condition under which a claim holds that is false in general."""

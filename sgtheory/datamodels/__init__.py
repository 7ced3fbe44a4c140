"""Models made of examples: what a step sees of them, losses written out, tables, modes."""

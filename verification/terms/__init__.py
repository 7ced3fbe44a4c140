"""Terms: formulas as they are written, the words that they are made of, and what they are worth."""

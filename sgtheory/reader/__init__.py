"""What comes from outside, read: files, their syntax, arrays and documents, all with stated sizes.

Whatever cannot be used is an ``UnusableInput``: nothing is executed, nothing is read without a bound,
and nothing is computed with a number before it is known to be in range. ``limits`` has the bounds.
"""

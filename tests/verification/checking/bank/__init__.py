"""A bank of samplers, right ones and faulty ones, with which the checker is measured.

``first`` is what the default tests use. Every other file has samplers of one framework as a library's
author would write them, and ``expected*.py`` says of each what is wrong with it, if anything is.
"""

"""Finding what others declare: files of the user's, other packages, and names that are nearly right."""

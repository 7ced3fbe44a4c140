"""Small copies of public data sets, compressed; README.md says whose they are and how they were made."""

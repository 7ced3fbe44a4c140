"""The experiments of Brosse, Durmus and Moulines (2018), section 4."""

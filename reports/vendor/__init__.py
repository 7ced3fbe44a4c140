"""Other people's files, unchanged; see LICENSES.txt."""

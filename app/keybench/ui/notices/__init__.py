"""Notices: the line they appear in, the list of them, and how they reach a person in another window."""

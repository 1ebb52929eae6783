"""Lessons: the page that lists them, and the panel beside the pages of a lesson's window."""

"""The window around the pages, and what goes on behind it."""

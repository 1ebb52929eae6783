"""Notices: in the window, in its list, and on the desktop."""

"""The window's pages; each is made the first time it is visited."""

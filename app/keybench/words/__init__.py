"""The sentences people read, shared by the window and the command line; no Qt."""

"""Privacy and locking: the window covered when nobody looks after it, and values kept out of pictures."""

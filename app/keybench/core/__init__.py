"""What is true without a screen, a network or a disk: standard library only, no I/O."""

"""Serve the practice gateway as `python -m keybench.practice`."""

import sys

from keybench.practice.server import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

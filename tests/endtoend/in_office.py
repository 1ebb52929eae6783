"""Run Keybench on a computer whose system trusts an authority of its own.

Arguments: the file of the authorities, and Keybench's own.
"""

from __future__ import annotations

import sys

from keybench.__main__ import main
from keybench.gateway import trust

trust.FILES = (sys.argv[1],)  # type: ignore[misc] # stands for the system's own list
del sys.argv[1]
sys.exit(main())

"""What the use cases need from the world, as protocols; a file for each part of it."""

from keybench.core.ports.gateway import *  # noqa: F403 - each file is a part of it
from keybench.core.ports.journal import *  # noqa: F403 - same
from keybench.core.ports.system import *  # noqa: F403 - same
from keybench.core.ports.team import *  # noqa: F403 - same

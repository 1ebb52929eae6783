"""What the tour's scenes play on, and what a scene is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.sale import Sale
from keybench.core.security_key import SecurityKey
from keybench.ui.tour.driver import Driver, TourStopped
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console

KEY: Final = "front-desk till"


@dataclass(slots=True)
class Stage:
    """What scenes play on.

    Attributes:
        driver: The hands.
        console: The use cases, for what happens outside the window.
        administration: The use cases of whoever administers keys.
        environment: The practice environment.
        picture: Saves a picture under a name, where pictures are wanted.
    """

    driver: Driver
    console: Console
    administration: Administration
    environment: Environment
    picture: Callable[[str], None]

    async def key(self) -> SecurityKey:
        """Return the tour's key, or what it was replaced by: the newest there is."""
        keys = await self.console.keys.listed(self.environment)
        return max(keys, key=lambda key: key.created_at)

    async def newest_sale(self) -> Sale | None:
        """Return the newest sale."""
        sales = await self.console.recent_sales(self.environment.id, 1)
        return sales[0] if sales else None


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene.

    Attributes:
        name: For the JSON line and the picture.
        caption: What a class reads while it plays.
        play: Plays it; returns the sale it was about, if any.
    """

    name: str
    caption: str
    play: Callable[[Stage], Awaitable[Sale | None]]


def is_visible(driver: Driver, name: str) -> bool:
    """Tell whether a control of that name can be seen."""
    try:
        return driver.find(QWidget, name).isVisible()
    except TourStopped:
        return False


def silent(play: Callable[[Stage], Awaitable[None]]) -> Callable[[Stage], Awaitable[Sale | None]]:
    """Return a scene's play that is about no sale."""

    async def played(stage: Stage) -> Sale | None:
        await play(stage)
        return None

    return played

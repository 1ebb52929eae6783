"""The made-up key, the sale that is asked for, and the shape of the caller fixture."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from keybench.core.money import Money
from keybench.core.ports import Caller, SaleOrder
from keybench.core.sales.sale import SaleMode

MADE_UP_KEY = "Zq7TestOnlyKeyNotReal0123456789x"
ORDER: Final = SaleOrder("ref-1", "till-1", Money(Decimal("10.00"), "USD"), SaleMode.ASYNCHRONOUS)

MakeCaller = Callable[..., Caller]

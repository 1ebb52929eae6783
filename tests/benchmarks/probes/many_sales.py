"""The window with hundreds of sales in flight: what following them costs, and how long its loop stands still.

Arguments: the data folder, the gateway's base URL, how many sales, and how many requests a second the gateway
is known to take; 0 if that isn't known, as with the usual contract. All are accepted first; from when the
gateway begins to let them end, until the last outcome is in the journal, everything is measured. Prints one
JSON object, with when each outcome was seen, by reference, on the monotonic clock.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import httpx
from heartbeat import Heartbeat
from memory import peak_mb

from keybench import bootstrap
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.events import SaleChanged
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.ports import Accepted, Caller, SaleOrder, entry_of
from keybench.core.sales.sale import Sale, SaleDraft
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import make_application
from keybench.ui.shell.lifecycle import Life
from keybench.ui.shell.window import MainWindow

#: Long enough to write all acceptances before the common start.
LEAD_S = 3.0


async def accepted_sales(session: Session, key: SecurityKey, base_url: str, count: int) -> Sequence[Sale]:
    """Send the sales one after another, and return them as accepted at a moment a little ahead."""
    console, where = session.console, session.environment
    caller = Caller(where, base_url, await console.world.keystore.read(entry_of(key)))
    answers = []
    for number in range(count):
        noted = await console.sell.note(SaleDraft(where.id, key.id, f"D-{number}", "10.00", "USD"))
        order = SaleOrder(noted.reference, noted.device, noted.money, noted.mode)
        answer = await console.world.gateway.start_sale(caller, order)
        assert isinstance(answer, Accepted)
        answers.append((noted.reference, answer.request_id))
    start = console.clock.now() + timedelta(seconds=LEAD_S)
    sales = []
    for reference, number in answers:

        def accept(sale: Sale, number: str = number) -> Sale:
            return sale.accept(number, start)

        sales.append(await console.world.journal.advance_sale(reference, accept))
    await console.clock.sleep((start - console.clock.now()).total_seconds())
    return sales


async def measure(window: MainWindow, session: Session) -> int:
    """Follow the sales as the window does after a restart, and beat until the last outcome is there."""
    console, base_url, count = session.console, sys.argv[2], int(sys.argv[3])
    await console.look_at_keystore()
    contract = "known" if known_limit else "v5"
    where = await console.environments.add("stub", EnvironmentKind.TEST, base_url, contract)
    session.choose_environment(where)
    added = await console.add_key.keep(
        where, KeyDraft("till", "admin", "API", KeyKind.PRIVATE), "MadeUpForTheBenchmark0123456789a"
    )
    sales = await accepted_sales(session, added.key, base_url, count)
    seen: dict[str, float] = {}

    def look(change: SaleChanged) -> None:
        if change.sale.verdict:
            seen[change.sale.reference] = time.monotonic()

    console.events.subscribe(SaleChanged, look)
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.post(f"{base_url}/begin")
    heart = Heartbeat()
    heart.start()
    began = time.process_time()
    for sale in sales:
        session.run(f"sale {sale.reference}", console.follow.to_the_end(sale))
    while any(name.startswith("sale ") for name in session.supervisor.running):
        await console.clock.sleep(0.05)
    cpu_s = time.process_time() - began
    heart.stop()
    ended = await console.recent_sales(where.id, count)
    print(
        json.dumps(
            {
                "outcomes": sorted({str(sale.outcome) for sale in ended}),
                "cpu_s": round(cpu_s, 2),
                "memory_mb": peak_mb(),
                "worst_ms": round(heart.worst_ms, 1),
                "p99_ms": round(heart.p99_ms, 1),
                "seen": seen,
            }
        ),
        flush=True,
    )
    window.close()
    return 0


folder = DataFolder(Path(sys.argv[1]))
known_limit = int(sys.argv[4])
if known_limit:
    limits = f"requests_per_s = {known_limit}\nstart_per_s = {known_limit}\nat_once = 64\n"
    contracts = Path(sys.argv[1]) / "contracts"
    contracts.mkdir(parents=True)
    (contracts / "known.toml").write_text(f'extends = "v5"\ntitle = "Known"\n[limits]\n{limits}')
app = make_application(sys.argv[:1])
preferences = Preferences(folder.window_settings)


async def live() -> int:
    window = MainWindow(preferences)
    return await Life(window, preferences, lambda: bootstrap.open_console(folder), measure).live()


sys.exit(run(app, live))

"""The window with 20 sales under way, and a heartbeat that measures how long the main loop ever stood still.

The first argument is the data folder. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import httpx
from heartbeat import Heartbeat

from keybench import bootstrap
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import Caller, entry_of
from keybench.core.sales.sale import SaleDraft
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import make_application
from keybench.ui.shell.lifecycle import Life
from keybench.ui.shell.window import MainWindow

SALES = 20


async def devices(session: Session, caller: Caller) -> list[str]:
    """Register as many simulated devices as there are sales, and return their identifiers."""
    async with httpx.AsyncClient(base_url=caller.base_url, trust_env=False) as client:
        made = []
        for number in range(SALES):
            answer = await client.post(
                "/api/v5/devices",
                headers={"Authorization": caller.value.reveal()},
                json={"registration_code": f"T1{number:04}", "nickname": f"Lane {number + 1}"},
            )
            made.append(str(answer.json()["deviceId"]))
    return made


async def measure(window: MainWindow, session: Session) -> int:
    """Send the sales as the panel does, and beat until the last outcome is there."""
    console, where = session.console, session.environment
    await console.look_at_keystore()
    added = await console.add_key.create(where, KeyDraft("till", "admin", "API", KeyKind.PRIVATE))
    value = await console.world.keystore.read(entry_of(added.key))
    lanes = await devices(session, Caller(where, await console.calling.base_url(where), value))
    await console.clock.sleep(1.0)  # what opening the window started has ended

    heart = Heartbeat()
    heart.start()
    began = time.process_time()
    names = []
    for lane in lanes:
        sale = await console.sell.note(SaleDraft(where.id, added.key.id, lane, "10.00", "USD"))
        names.append(f"sale {sale.reference}")
        session.run(names[-1], console.sell.carry_out(sale))
    most = 0
    while under_way := sum(session.supervisor.is_running(name) for name in names):
        most = max(most, under_way)
        await console.clock.sleep(0.05)
    heart.stop()
    ended = await console.recent_sales(where.id, SALES)
    print(
        json.dumps(
            {
                "sales": len(ended),
                "most_under_way": most,
                "outcomes": sorted({str(sale.outcome) for sale in ended}),
                "beats": len(heart.gaps),
                "worst_ms": round(heart.worst_ms, 1),
                "p99_ms": round(heart.p99_ms, 1),
                "cpu_s": round(time.process_time() - began, 2),
            }
        ),
        flush=True,
    )
    window.close()
    return 0


folder = DataFolder(Path(sys.argv[1]))
app = make_application(sys.argv[:1])
preferences = Preferences(folder.window_settings)


async def live() -> int:
    window = MainWindow(preferences)
    return await Life(window, preferences, lambda: bootstrap.open_console(folder), measure).live()


sys.exit(run(app, live))

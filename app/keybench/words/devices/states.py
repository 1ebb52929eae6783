"""The state of a device in words, always with its age: connected, busy and with whose sale, what was sold."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from keybench.core import errors as e
from keybench.core.devices.state import DeviceState
from keybench.core.sales.sale import Outcome, Sale
from keybench.words.explain import explain
from keybench.words.formats import ago, ago_short, clock_time, day_and_time, within
from keybench.words.language import _, ngettext, number
from keybench.words.sales.outcomes import outcome_shape, outcome_word, sale_amount

if TYPE_CHECKING:  # the words come first
    from keybench.core.ports import Device
    from keybench.workflows.devices.managing import Bound, Holder

StateTone = Literal["", "dim", "good", "warning"]

#: What is told of a device's sales is of so long.
LATELY: Final = timedelta(days=1)
_A_DAY: Final = timedelta(hours=20)
_CONNECTED: Final = _("Connected")
_NOT_CONNECTED: Final = _("Not connected")
_NOT_TOLD: Final = _("Connection not known")
_UNKNOWN_THERE: Final = 404

ASKING: Final = _("Asking the gateway how the device is…")
NEVER_ASKED: Final = _("Its state isn't known yet.")


def connection_shape(state: DeviceState | None) -> str:
    if state is None or state.is_connected is None:
        return "–"
    return "●" if state.is_connected else "○"


def connection_word(state: DeviceState) -> str:
    if state.is_connected is None:
        if state.connection:
            return _("The gateway says “{word}”").format(word=state.connection)
        return _NOT_TOLD
    return _CONNECTED if state.is_connected else _NOT_CONNECTED


def connection_cell(device: Device, state: DeviceState | None, now: datetime) -> str:
    """Return sign, word and age, for a table: ``● connected, 2 min``."""
    if state is None:
        # Of before states were kept, so nobody knows how old it is.
        shape = "●" if device.connection == "connected" else "○"
        told = _("{shape} {word}, age not known").format(shape=shape, word=device.connection)
        return told if device.connection else _("– not known")
    word = (
        within(connection_word(state))
        if state.is_connected is not None
        else state.connection or _("not known")
    )
    if state.is_busy:
        word = _("busy")
    return f"{connection_shape(state)} {word}, {ago_short(state.read_at, now)}"


def state_sentence(state: DeviceState, holder: Holder | None, now: datetime) -> str:
    parts = [f"{connection_shape(state)} {connection_word(state)}"]
    if state.is_connected is False and state.last_connected_at:
        parts.append(_("last seen {when}").format(when=when(state.last_connected_at, now)))
    if busy := holder_words(state, holder, now):
        parts.append(busy)
    return f"{', '.join(parts)} · {ago(state.read_at, now)}"


def state_tone(state: DeviceState | None, holder: Holder | None) -> StateTone:
    """Return the tone of that: a warning where a sale would probably be refused."""
    if state is None or (state.is_connected is None and not state.is_busy and holder is None):
        return "dim"
    return "warning" if state.is_connected is False or state.is_busy or holder else ""


def state_details(state: DeviceState, now: datetime) -> str:
    parts = []
    if state.battery_percent is not None:
        parts.append(_("Battery {percent} %").format(percent=state.battery_percent))
    if state.network:
        parts.append(_("Network “{name}”").format(name=state.network))
    if state.last_connected_at and state.is_connected is not False:  # else it stands beside that
        parts.append(_("Last seen {when}").format(when=when(state.last_connected_at, now)))
    if state.last_sale_at:
        parts.append(_("Last sale, by anyone: {when}").format(when=when(state.last_sale_at, now)))
    return " · ".join(parts)


def holder_words(state: DeviceState, holder: Holder | None, now: datetime) -> str:
    if holder is None:
        return ""
    sale = holder.sale
    if sale is None:
        return (
            _("busy with a request that isn't from this Keybench")
            if state.busy_with
            else _("busy, the gateway doesn't say with whose request")
        )
    if sale.outcome is Outcome.UNKNOWN:
        return _("busy; the outcome of your sale {reference} on it isn't known: look it up first").format(
            reference=sale.reference
        )
    words = (
        _("busy with your sale {reference} (key “{key}”, {when}, {program})")
        if state.is_busy
        else _("your sale {reference} is under way on it (key “{key}”, {when}, {program})")
    )
    return words.format(
        reference=sale.reference, key=sale.key_name, when=when(sale.noted_at, now), program=_program(holder)
    )


def _program(holder: Holder) -> str:
    if holder.is_here:
        return _("sent by this program")
    if holder.is_followed:
        return _("sent by another Keybench program")
    return _("no program waits for it")


def when(moment: datetime, now: datetime) -> str:
    return clock_time(moment) if abs(now - moment) < _A_DAY else day_and_time(moment)


def sold_lately(sales: Iterable[Sale], now: datetime) -> str:
    known = list(sales)
    if not known:
        return _("No sale of this Keybench on it is known.")
    lately = [sale for sale in known if sale.noted_at > now - LATELY]
    newest = known[0]
    said = _("Newest: {when}, {amount}, {outcome}.").format(
        when=when(newest.noted_at, now), amount=sale_amount(newest), outcome=_outcome(newest)
    )
    outcomes = _outcomes(lately) if lately else _("no sale")
    return _("Last 24 hours: {outcomes}. {newest}").format(outcomes=outcomes, newest=said)


def lately_cell(sales: Iterable[Sale], now: datetime) -> str:
    """Return the same for a table: ``10 of 12 approved``; a dash if nothing was sold within a day."""
    lately = [sale for sale in sales if sale.noted_at > now - LATELY]
    approved = sum(sale.outcome is Outcome.APPROVED for sale in lately)
    if not lately:
        return "–"
    return _("{approved} of {count} approved").format(approved=number(approved), count=number(len(lately)))


def _outcomes(sales: Iterable[Sale]) -> str:
    counts: dict[str, int] = {}
    for sale in sales:
        counts[_outcome(sale)] = counts.get(_outcome(sale), 0) + 1
    return ", ".join(f"{number(count)} {word}" for word, count in counts.items())


def _outcome(sale: Sale) -> str:
    if sale.outcome is None:
        return _("under way")
    return f"{outcome_shape(sale.outcome)} {outcome_word(sale.outcome)}"


def check_failed(error: e.KeybenchError) -> str:
    if isinstance(error, e.Refused) and error.status == _UNKNOWN_THERE:
        return _("The gateway doesn't know this device.")
    if isinstance(error, e.KeystoreError):
        # Nobody asked for it, and whatever the key is used for next says more.
        return _("The device wasn't asked: the key's value can't be read.")
    return _("The device couldn't be asked for. {title}").format(title=explain(error).title)


def not_done_sentence(error: e.GatewayError) -> str:
    title = explain(error).title
    if isinstance(error, e.AnswerLost | e.AnswerUnreadable | e.GatewayFailed):
        return _("{title} It may have been done: look at the list before you try again.").format(title=title)
    said = _("The gateway said: “{message}”.").format(message=error.message) if error.message else title
    if isinstance(error, e.Forbidden) and not error.asks_to_wait:
        return _("{said} Choose a key whose user may manage devices.").format(said=said)
    if isinstance(error, e.Refused) and not error.asks_to_wait:
        return _("{said} Nothing was done.").format(said=said)
    return f"{title} {explain(error).text}".strip()


def bound_sentence(bound: Bound) -> str:
    if not bound.unknown:
        return ""
    return ngettext(
        "The outcome of one sale on it is unknown. Look it up first: once the device is gone, the gateway may "
        "not be able to tell it.",
        "The outcomes of {count} sales on it are unknown. Look them up first: once the device is gone, the "
        "gateway may not be able to tell them.",
        bound.unknown,
    )

"""What this computer has or lacks, in words: where keys are kept, the way to a gateway, a screen, the journal."""

from __future__ import annotations

from typing import Final

from keybench import __version__
from keybench.core import errors as e
from keybench.core.environments.environment import NO_PROXY, SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.core.events import SalesUnkept
from keybench.core.ports import JournalPlace, KeystoreStatus, Older
from keybench.core.sales.sale import Outcome, Sale
from keybench.runtime.data_folder import ENVIRONMENT_VARIABLE
from keybench.words.explain import explain
from keybench.words.keystore_help import keystore_help
from keybench.words.language import _, ngettext, number
from keybench.words.sales.outcomes import outcome_word

# The dash is typographic, as everywhere on screen.
IN_MEMORY: Final = _("Keys are kept in this session's memory only – they are gone when the window closes")
CLOSE_WITH_KEYS: Final = _("Close with keys in memory only?")
CLOSE_WITH_CLASS: Final = _("Close and end the class?")
CLASS_ENDS: Final = _("Learners are cut off until the class is served again. How far each is stays.")
LOOKING: Final = _("Looking for your keyring…")
SYSTEM: Final = _("System")
NONE: Final = _("None")


def keystore_status(status: KeystoreStatus) -> str:
    if status.asking:
        return _("{name} asks you").format(name=status.name)
    if not status.is_known:
        return LOOKING
    if not status.durable:
        return _("Keys in memory only")
    match status.trouble:
        case None:
            return _("Keys kept in {name}").format(name=status.name)
        case e.KeystoreLocked():
            return _("{name} is locked").format(name=status.name)
        case e.KeystoreSilent():
            return _("{name} gives no answer").format(name=status.name)
        case e.KeystoreMissing():
            return _("{name} isn't there").format(name=status.name)
        case _:
            return _("{name} can't be used").format(name=status.name)


def lost_keys_sentence(count: int) -> str:
    return (
        ngettext(
            "1 key is kept in this session's memory only. Its value will be gone, and has to be given again.",
            "{count} keys are kept in this session's memory only. Their values will be gone, and have to be "
            "given again.",
            count,
        )
        if count
        else ""
    )


def keystore_sentence(status: KeystoreStatus) -> str:
    """Return what to know and to do about where keys are kept; empty where all is well."""
    if status.asking:
        return asking_sentence(status)
    if not status.is_known:
        return ""
    told = [] if status.durable else [f"{IN_MEMORY}."]
    if status.trouble:
        why = explain(status.trouble)
        told += [why.title, why.next]
    return " ".join(told)


def keystore_command(status: KeystoreStatus) -> str:
    trouble = status.trouble
    return keystore_help(trouble).command if isinstance(trouble, e.KeystoreMissing) else ""


def asking_sentence(status: KeystoreStatus) -> str:
    return _("{name} asks for your permission. Answer in its own window; it may be behind others.").format(
        name=status.name
    )


def proxy_words(environment: Environment) -> str:
    """Return an environment's proxy: whose it is, or its address with its user; there is no password in it."""
    if environment.kind is EnvironmentKind.PRACTICE or environment.proxy == NO_PROXY:
        return NONE
    return SYSTEM if environment.proxy == SYSTEM_PROXY else environment.proxy


def proxy_sentence(environment: Environment) -> str:
    if environment.proxy == SYSTEM_PROXY:
        return _("“{name}” goes through the proxy this computer is set to, if any.").format(
            name=environment.name
        )
    if environment.proxy == NO_PROXY:
        return _("“{name}” goes through no proxy.").format(name=environment.name)
    return _("“{name}” goes through {proxy}.").format(name=environment.name, proxy=environment.proxy)


def open_and_silent(folder: str) -> str:
    return _("Keybench is open already on {folder}, but doesn't answer. Close that one first.").format(
        folder=folder
    )


def open_in_other_version(version: str, folder: str) -> str:
    return _(
        "Keybench {version} is open already on {folder}, and this is Keybench {own}. Close that one first to use this one."
    ).format(version=version, folder=folder, own=__version__)


def other_version_words(version: str) -> tuple[str, str]:
    return _("Keybench {version} was started, and this window is Keybench {own}.").format(
        version=version, own=__version__
    ), _("A data folder has one window. Close this one first, then start the other again.")


def practice_version_words(version: str) -> tuple[str, str]:
    return _("The practice gateway is Keybench {version}'s, and this is Keybench {own}.").format(
        version=version, own=__version__
    ), _(
        "Another program started it, so what is new in practice may be missing. Once that program ends, this one "
        "starts its own."
    )


def sudo_words(owner: str, folder: str) -> str:
    return _(
        "The data folder {folder} belongs to {owner}, and root would leave files there that {owner} can't use. "
        "Start Keybench without sudo, or choose another folder with --data-dir."
    ).format(folder=folder, owner=owner)


def network_words(place: JournalPlace) -> tuple[str, str]:
    if not place.alone_on:
        return "", ""
    title = _("One program at a time can have this data folder open ({kind}).").format(kind=place.alone_on)
    meaning = _(
        "While Keybench is open here, other windows and commands are refused, on other computers too. Where the "
        "folder is on a network share, no sale is sent while the network is down. Better close Keybench, move "
        "{folder} to a disk of this computer, and choose it there with --data-dir or {variable}."
    )
    return title, meaning.format(folder=place.folder, variable=ENVIRONMENT_VARIABLE)


#: A title and a text.
UPDATED: Final = (
    _("Keybench was updated. Open it again to use the new version."),
    _("This window goes on with the version that it was opened with. Close it when no sale is under way."),
)

KEPT_AGAIN: Final = _("The journal has everything again.")
#: This many sales are named; the rest are counted.
_MOST_NAMED: Final = 3
_NOTHING_SOLD: Final = {Outcome.NOT_SENT, Outcome.REFUSED, Outcome.DECLINED}


def unsaved_sales_words(unkept: SalesUnkept) -> tuple[str, str]:
    assert unkept.error  # noqa: S101 - only with all taken there is none
    sales = unkept.sales
    facts = [_fact(sale) for sale in sales[:_MOST_NAMED]]
    if more := len(sales) - len(facts):
        facts.append(_("And {number} more.").format(number=number(more)))
    if any(sale.outcome not in _NOTHING_SOLD for sale in sales):
        facts.append(ngettext("Don't send it again for that.", "Don't send them again for that.", len(sales)))
    about = ngettext(
        "What became of a sale isn't in the journal yet; Keybench keeps trying.",
        "What became of {count} sales isn't in the journal yet; Keybench keeps trying.",
        len(sales),
    )
    return explain(unkept.error).title, " ".join((about, *facts))


def _fact(sale: Sale) -> str:
    known = _(", payment request {request_id}").format(request_id=sale.request_id) if sale.request_id else ""
    state = outcome_word(sale.verdict.outcome).lower() if sale.verdict else _("under way at the gateway")
    return f"{sale.reference}{known}: {state}."


def older_sentence(found: Older, day: str, *, with_sales: bool) -> str:
    """Return what would be deleted of before a day, and what stays."""
    if with_sales:
        gone = ngettext(
            "{count} sale from before {day}, with its timeline and exchanges.",
            "{count} sales from before {day}, with their timelines and exchanges.",
            found.sales,
        ).format(day=day)
    else:
        gone = ngettext(
            "The exchanges of {count} sale from before {day}; the sale stays.",
            "The exchanges of {count} sales from before {day}; the sales stay.",
            found.with_exchanges,
        ).format(day=day)
    if not found.unsettled:
        return gone
    stays = ngettext(
        "{count} sale stays whole, because its outcome isn't known.",
        "{count} sales stay whole, because their outcomes aren't known.",
        found.unsettled,
    )
    return f"{gone} {stays}"

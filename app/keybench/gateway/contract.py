"""What a contract says about a gateway. The model is the schema of the TOML files.

Each field stands here once, by the name and in the table that it has in a file. A field without a default is
required, and `Annotated` names the rule that reads its value from the file. Where fields have to fit
together, their class checks it. `keybench.gateway.contracts` reads the files.
"""

# No postponed annotations here: cattrs would see them without their rules.

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Final

from keybench.core.keys.key import KeyKind
from keybench.core.personal_data import plain_name
from keybench.core.ports import ContractFacts
from keybench.core.reasons import Reason
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import SaleMode
from keybench.gateway import contract_rules as rule
from keybench.gateway.contract_rules import (
    BodyShape,
    Call,
    CodeRange,
    HeaderName,
    KeyForm,
    Meaning,
    Path,
    Paths,
    Shape,
    Texts,
    Word,
    Wrong,
)

_SALE: Final = ("device_id", "request_id")
_PAGE: Final = ("device_id", "reference")
_DEVICE: Final = ("device_id",)
_LONGEST_S: Final = 86_400.0


@dataclass(frozen=True, kw_only=True)
class KeyHeader:
    """How a call carries the key."""

    header: HeaderName
    form: KeyForm
    status_form: KeyForm = ""


@dataclass(frozen=True, kw_only=True)
class ContractLimits:
    """How much of a gateway all sales together ask for."""

    requests_per_s: Annotated[float, rule.number(0.1, 1000)] = 10.0
    start_per_s: Annotated[float, rule.number(0.1, 1000)] = math.inf
    at_once: Annotated[float, rule.number(1, 1000)] = 8


@dataclass(frozen=True, kw_only=True)
class Polls:
    """How often a sale under way may be asked for."""

    shortest_s: Annotated[float, rule.number(0.05, 60)] = 0.2
    longest_s: Annotated[float, rule.number(0.5, 600)] = 10.0

    def __post_init__(self) -> None:
        if self.longest_s < self.shortest_s:
            raise Wrong("shorter than shortest_s", "longest_s")


@dataclass(frozen=True, kw_only=True)
class Calls:
    """The calls that concern sales and devices; one that is None isn't offered.

    Attributes:
        look_up_items: Where the found sales stand in that answer.
        look_up_next: Where the list's next page is named: by its address, or by what `look_up_page` takes.
        look_up_page: Asks for a next page, or None where `look_up_next` is an address.
        look_up_whole: How an answer looks that has the whole list; without it no list is known to be whole.
        device: Tells the state of one device; where it is None, the list of devices is asked.
    """

    status: Annotated[Call, rule.call(["request_id"], _SALE)]
    devices: Annotated[Call, rule.call()] | None = None
    cancel: Annotated[Call, rule.call(may=_SALE)] | None = None
    look_up: Annotated[Call, rule.call(_PAGE)] | None = None
    look_up_items: Paths = ()
    look_up_next: Paths = ()
    look_up_page: Annotated[Call, rule.call(["next"], _PAGE)] | None = None
    look_up_whole: Annotated[str, rule.json_text] = ""
    device: Annotated[Call, rule.call(_DEVICE, harmless=True)] | None = None
    register_device: Annotated[Call, rule.call()] | None = None
    rename_device: Annotated[Call, rule.call(_DEVICE)] | None = None
    deregister_device: Annotated[Call, rule.call(_DEVICE)] | None = None

    def __post_init__(self) -> None:
        if self.look_up and not self.look_up_items:
            raise Wrong("missing", "look_up_items")
        if self.look_up_page and not self.look_up_next:
            raise Wrong("missing", "look_up_next")


@dataclass(frozen=True, kw_only=True)
class LongPoll:
    """A status call whose answer is held until there is an outcome, for at most `held_s` seconds."""

    call: Annotated[Call, rule.call(["request_id"], _SALE)]
    held_s: Annotated[float, rule.number(1, _LONGEST_S)]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """The harmless call that proves a key, and the HTTP statuses that mean it was accepted."""

    call: Annotated[Call, rule.call(may=_SALE, harmless=True)]
    accepted: Annotated[tuple[int, ...], rule.statuses]


@dataclass(frozen=True, kw_only=True)
class ProofCall:
    """A harmless call that most keys' users may not make, for the same-permission proof."""

    refused: Annotated[Call, rule.call(harmless=True)]


@dataclass(frozen=True, kw_only=True)
class SaleRequestFields:
    """One way to start a sale."""

    call: Annotated[Call, rule.call(may=["device_id"])]
    amount: Path
    currency: Path
    reference: Path
    device: Path = ""
    key: Path = ""
    fixed: Mapping[str, str] = field(default_factory=dict)
    body: BodyShape = Shape.JSON
    waits: bool | None = None
    answer: str = ""

    def __post_init__(self) -> None:
        if bool(self.device) == bool(self.call.placeholders):
            wrong = "unknown placeholder device_id" if self.device else "placeholder device_id is missing"
            raise Wrong(wrong, "call")
        named = [self.amount, self.currency, self.reference, self.device, self.key, *self.fixed]
        _refuse_clashes([path.split(".") for path in named if path])
        if self.body is Shape.FORM and any("." in path for path in named):
            raise Wrong("a form's fields have no dots")


def _refuse_clashes(paths: list[list[str]]) -> None:
    for index, path in enumerate(paths):
        for other in paths[index + 1 :]:
            shorter = min(len(path), len(other))
            if path[:shorter] == other[:shorter]:
                raise Wrong(f"two fields stand at {'.'.join(path[:shorter])}")


@dataclass(frozen=True, kw_only=True)
class AnswerFields:
    """Where an answer about a sale carries what.

    Attributes:
        amount: As `currency` and `device` compared, at each of its paths, with what was asked for.
        approved: The amount that was approved, which may be less; where it isn't told, `amount` may be.
        next_s: In how many seconds the gateway suggests to ask again.
        began: When it took the sale, by its own clock: ISO 8601, or seconds or milliseconds since 1970.
        ended: When the outcome was there, by the same clock.
    """

    request_id: Paths
    transaction_id: Paths
    status: Paths = ()
    success: Paths = ()
    response: Paths = ()
    response_code: Paths = ()
    authorisation: Paths = ()
    message: Paths = ()
    reference: Paths = ()
    amount: Paths = ()
    approved: Paths = ()
    currency: Paths = ()
    device: Paths = ()
    next_s: Paths = ()
    began: Paths = ()
    ended: Paths = ()
    body: BodyShape = Shape.JSON


@dataclass(frozen=True, kw_only=True)
class ErrorFields:
    """Where the error envelope carries what; each may be missing from an answer."""

    type: Paths
    code: Paths
    message: Paths
    reference: Paths
    meanings: Mapping[str, Annotated[Reason, rule.refusal]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DeviceFields:
    """What an answer carries of a device where; one that a gateway doesn't tell has no paths.

    Attributes:
        items: Where a list of devices stands.
        one: Where the device stands in an answer about one; the answer itself where none of these is there.
        connection: A word, or true and false.
        connected: The words for connected, in any case and with any separators; others leave it unknown.
        not_connected: The words for not connected.
        last_connected: ISO 8601, or seconds or milliseconds since 1970, as `last_sale`.
        busy: Whether a payment request holds it: true or false.
        registration_code: The body field of the code with which a device is registered.
        new_nickname: The body field of a nickname that is given to a device.
    """

    items: Paths
    one: Paths = ()
    id: Paths
    nickname: Paths
    connection: Paths
    connected: Texts = ("connected",)
    not_connected: Texts = ("disconnected", "not connected")
    battery: Paths = ()
    network: Paths = ()
    last_connected: Paths = ()
    last_sale: Paths = ()
    busy: Paths = ()
    busy_request: Paths = ()
    registration_code: Path = "registration_code"
    new_nickname: Path = "nickname"

    def __post_init__(self) -> None:
        if set(map(plain_name, self.connected)) & set(map(plain_name, self.not_connected)):
            raise Wrong("has a word of connected", "not_connected")


@dataclass(frozen=True, kw_only=True)
class PortalForm:
    """The portal's key flow, where the gateway offers it as calls."""

    header: HeaderName = ""
    header_value: str = ""
    users: Annotated[Call, rule.call()]
    create: Annotated[Call, rule.call()]
    delete: Annotated[Call, rule.call(["key_id"])]
    user_items: Paths
    selling_permission: str = ""
    name_taken: Texts = ()
    repeated: Texts

    def __post_init__(self) -> None:
        if bool(self.header) != bool(self.header_value):
            raise Wrong("missing", "header_value" if self.header else "header")


@dataclass(frozen=True, kw_only=True)
class Contract:
    """One gateway's paths, field names and status words.

    Attributes:
        selectable: Whether a person can choose it for an environment.
        portal_path: The portal's Security Keys page, relative to the base URL; empty if it isn't known.
        deadline_s: How long a sale may take until it is called unknown.
        permissions: The permission types to choose from, by kind.
        probe: The harmless call; in the same-permission proof the one that is allowed.
        proof: The call of that proof which is refused, or None.
        long_poll: Asks for a status and waits for the outcome, or None.
        answers: The ways to read an answer; polls and look-ups are read by ``started``.
        texts: What its response texts mean; most are for people and mean nothing here.
        amounts: Amounts that it treats in a known way outside live, and in which, for people.
        declined_amounts: Those of them that it declines.
        kept: Fields whose values exchanges keep, besides the usual ones and those that are named here anyway.
    """

    name: str = ""
    title: str
    selectable: bool = True
    portal_path: Annotated[str, rule.form(r"/[!-~]*", "not a path")] = ""
    deadline_s: Annotated[float, rule.number(10, _LONGEST_S)] = 330.0
    key: KeyHeader
    limits: ContractLimits = ContractLimits()
    polls: Polls = Polls()
    permissions: Mapping[KeyKind, Texts]
    probe: Probe
    proof: ProofCall | None = None
    calls: Calls
    long_poll: LongPoll | None = None
    sales: Mapping[SaleMode, SaleRequestFields]
    answers: Mapping[str, AnswerFields]
    statuses: Mapping[str, Annotated[Word, rule.word(Meaning.BY_CODE)]]
    responses: Mapping[str, Annotated[Word, rule.word(Meaning.BY_SUCCESS, Meaning.GOES_ON)]]
    codes: Mapping[
        Annotated[CodeRange, rule.codes], Annotated[Word, rule.word(Meaning.BY_CODE, Meaning.BY_SUCCESS)]
    ]
    texts: Mapping[str, Annotated[Word, rule.word(Meaning.BY_CODE, Meaning.BY_SUCCESS, Meaning.GOES_ON)]] = (
        field(default_factory=dict)
    )
    errors: ErrorFields
    devices: DeviceFields
    portal: PortalForm | None = None
    amounts: Mapping[Annotated[str, rule.form(r"\d{1,9}(\.\d{2})?", "not an amount")], str] = field(
        default_factory=dict
    )
    declined_amounts: Texts = ()
    kept: rule.KeptNames = ()

    def __post_init__(self) -> None:
        needed = {f"permissions.{kind}": kind in self.permissions for kind in KeyKind}
        needed["answers.started"] = "started" in self.answers
        needed["answers.started.status"] = "started" in self.answers and bool(self.started.status)
        if missing := [where for where, there in needed.items() if not there]:
            raise Wrong("missing", missing[0])
        if not self.sales:
            raise Wrong("no way to sell", "sales")
        for mode in self.sales:
            if self._answer(mode) not in self.answers:
                raise Wrong(f"there is no table answers.{self._answer(mode)}", f"sales.{mode}.answer")
        if self.calls.look_up and not self.started.reference:
            raise Wrong("missing, and look_up can't do without", "answers.started.reference")
        rule.refuse_selling(vars(self), [form.call for form in self.sales.values()])

    @property
    def modes(self) -> tuple[SaleMode, ...]:
        """The ways to sell it offers, always in the same order."""
        return tuple(mode for mode in SaleMode if mode in self.sales)

    @property
    def started(self) -> AnswerFields:
        """How the answer to a poll or a look-up is read."""
        return self.answers["started"]

    def reads(self, mode: SaleMode) -> AnswerFields:
        """Return how the answer to a sale of that mode is read."""
        return self.answers[self._answer(mode)]

    def waits(self, mode: SaleMode) -> bool:
        """Whether the answer to a sale of that mode is held until its outcome is there."""
        waits = self.sales[mode].waits
        return mode is not SaleMode.ASYNCHRONOUS if waits is None else waits

    def _answer(self, mode: SaleMode) -> str:
        return self.sales[mode].answer or ("started" if mode is SaleMode.ASYNCHRONOUS else "held")

    @cached_property
    def lowercase_texts(self) -> Mapping[str, Word]:
        """`texts` with their names in lower case."""
        return {name.casefold(): word for name, word in self.texts.items()}

    @cached_property
    def kept_names(self) -> frozenset[str]:
        """The fields whose values exchanges keep besides the usual ones, as `plain_name` returns them."""
        tables = (self.errors, self.devices, *self.answers.values(), *self.sales.values())
        return rule.names_kept([*rule.names_in(tables), *self.kept])

    @property
    def proof_calls(self) -> Mapping[Expectation, Call]:
        """The calls of the same-permission proof, by what each should meet."""
        calls = {Expectation.ALLOWED: self.probe.call}
        return calls | {Expectation.REFUSED: self.proof.refused} if self.proof else calls

    @property
    def facts(self) -> ContractFacts:
        """What forms and use cases need to know of it."""
        return ContractFacts(
            name=self.name,
            can_create_keys=self.portal is not None,
            can_list_users=self.portal is not None,
            selling_permission=self.portal.selling_permission if self.portal else "",
            portal_path=self.portal_path,
            permissions=dict(self.permissions),
            modes=self.modes,
            can_cancel=self.calls.cancel is not None,
            can_look_up=self.calls.look_up is not None,
            can_tell_device=bool(self.calls.device or self.calls.devices),
            can_register_devices=self.calls.register_device is not None,
            can_rename_devices=self.calls.rename_device is not None,
            can_deregister_devices=self.calls.deregister_device is not None,
            title=self.title,
            deadline_s=self.deadline_s,
            shortest_pause_s=self.polls.shortest_s,
            longest_pause_s=self.polls.longest_s,
            held_s=self.long_poll.held_s if self.long_poll else 0.0,
            requests_per_s=self.limits.requests_per_s,
            start_per_s=min(self.limits.start_per_s, self.limits.requests_per_s),
            at_once=int(self.limits.at_once),
            proof_calls=tuple((str(call), expected) for expected, call in self.proof_calls.items()),
            paths=tuple(sorted({call.path for call in self._every_call})),
            amounts=dict(self.amounts),
            declined_amounts=frozenset(self.declined_amounts),
            kept_names=self.kept_names,
            begun={name: word.begun for name, word in self.statuses.items() if word.begun is not None},
        )

    @property
    def _every_call(self) -> Iterator[Call]:
        calls = self.calls
        yield from (form.call for form in self.sales.values())
        others = (self.probe.call, calls.status, calls.devices, calls.device, calls.cancel, calls.look_up)
        yield from filter(None, others)

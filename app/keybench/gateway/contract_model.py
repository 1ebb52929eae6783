"""What a contract says about a gateway, as plain data: calls, forms of sale, and how answers are read."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from keybench.core.ports import ContractFacts
from keybench.core.proof import Expectation
from keybench.core.reasons import Reason
from keybench.core.sale import SaleMode
from keybench.core.security_key import KeyKind

#: Dotted paths into an answer; the first one that is there counts.
Paths = tuple[str, ...]


class Shape(enum.StrEnum):
    """How a body is written: as JSON, or as a web form's ``name=value&…``."""

    JSON = "json"
    FORM = "form"


class Meaning(enum.StrEnum):
    """What a word or a code of the gateway stands for."""

    GOES_ON = "goes on"
    BY_SUCCESS = "by success"
    BY_CODE = "by code"
    APPROVED = "approved"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Word:
    """A meaning, with the stable word for its reason if it has one."""

    meaning: Meaning
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CodeRange:
    """What the gateway's response codes from `first` to `last`, both included, stand for."""

    first: int
    last: int
    word: Word

    @property
    def width(self) -> int:
        """How many codes it covers; the narrowest range that fits a code counts."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Call:
    """An HTTP method and a path with placeholders such as ``{device_id}``."""

    method: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class LongPoll:
    """A status call whose answer is held until there is an outcome, for at most `held_s` seconds."""

    call: Call
    held_s: float


@dataclass(frozen=True, slots=True)
class Politeness:
    """How much of a gateway all sales together ask for.

    Attributes:
        requests_per_s: The most requests a second.
        start_per_s: How many to begin with, before the answers tell what the gateway takes.
        at_once: The most requests under way at any moment, held ones not counted.
    """

    requests_per_s: float
    start_per_s: float
    at_once: int


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """Where an answer about a sale carries what.

    Attributes:
        amount: As `currency` and `device` compared, at each of its paths, with what was asked for.
        next_s: In how many seconds the gateway suggests to ask again.
        shape: How the answer is written.
    """

    request_id: Paths
    status: Paths
    success: Paths
    response: Paths
    response_code: Paths
    transaction_id: Paths
    authorisation: Paths
    message: Paths
    reference: Paths
    amount: Paths = ()
    currency: Paths = ()
    device: Paths = ()
    next_s: Paths = ()
    shape: Shape = Shape.JSON


@dataclass(frozen=True, slots=True)
class SaleForm:
    """One way to start a sale.

    Attributes:
        call: Where it is sent.
        waits: Whether the answer is held until the outcome is there.
        reads: How the answer is read.
        amount: The body field of the amount, as all the following a dotted path.
        currency: The body field of the currency.
        reference: The body field of our reference.
        device: The body field of the device; empty where the path names it.
        key: The body field of the key's value; empty where the header carries it.
        fixed: Body fields that are the same in every sale.
        shape: How the body is written.
    """

    call: Call
    waits: bool
    reads: AnswerFields
    amount: str
    currency: str
    reference: str
    device: str = ""
    key: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)
    shape: Shape = Shape.JSON


@dataclass(frozen=True, slots=True)
class Probe:
    """The harmless call that proves a key, and the HTTP statuses that mean it was accepted."""

    call: Call
    accepted: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ErrorFields:
    """Where the error envelope carries what; each may be missing from an answer.

    Attributes:
        kind: The kind of error.
        code: The gateway's own code for it.
        message: Its words for people.
        reference: Its reference for it.
        meanings: What its codes stand for, as stable reasons, where the status alone doesn't say it.
    """

    kind: Paths
    code: Paths
    message: Paths
    reference: Paths
    meanings: Mapping[str, Reason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeviceFields:
    """Where a list of devices stands in an answer, and what its items carry where."""

    items: Paths
    id: Paths
    nickname: Paths
    connection: Paths


@dataclass(frozen=True, slots=True)
class PortalForm:
    """The portal's key flow, where the gateway offers it as calls.

    Attributes:
        header: A header name and value that each of its calls needs; empty texts if none.
        users: Lists the account's users.
        create: Makes a key.
        user_items: Where the list of users stands in an answer.
        name_taken: The error codes that say another key has the name; none where names needn't differ.
        repeated: The error codes that say the request was made before.
    """

    header: tuple[str, str]
    users: Call
    create: Call
    delete: Call
    user_items: Paths
    name_taken: tuple[str, ...]
    repeated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """One gateway's paths, field names and status words.

    Attributes:
        name: The file's name without its ending.
        title: What people call the gateway.
        selectable: Whether a person can choose it for an environment.
        portal_path: The portal's Security Keys page, relative to the base URL; empty if unknown.
        key_header: The header that carries the key.
        key_form: The header's value with ``{key}`` in it.
        status_key_form: The same for status calls, where they want another.
        deadline_s: How long after it was accepted a sale may still end, in seconds.
        politeness: How often it is asked.
        permissions: The permission types to choose from, by kind.
        probe: The harmless call; in the same-permission proof the one that is allowed.
        proof_refused: A harmless call that most keys' users may not make, for that proof, or None.
        status: Asks for a sale's status.
        long_poll: Does so and waits for the outcome, or None.
        look_up: Finds a sale by our reference, or None.
        look_up_items: Where the found sales stand in that answer.
        look_up_next: Where the list's next page is named: by its address, or by what `look_up_page` takes.
        look_up_page: Asks for a next page, or None where `look_up_next` is an address.
        cancel: Asks the device to cancel, or None.
        devices: Lists the devices, or None.
        device_fields: How that list is read.
        sales: The ways to sell it offers.
        started: How the answer to a poll or a look-up is read.
        statuses: What its status words mean; a word that isn't here goes on.
        responses: What its response figures mean.
        codes: What its response codes mean.
        texts: What its response texts mean, in small letters; most are for people and mean nothing here.
        errors: How its error envelope is read.
        portal: The portal's calls, or None.
    """

    name: str
    title: str
    selectable: bool
    portal_path: str
    key_header: str
    key_form: str
    status_key_form: str
    deadline_s: float
    politeness: Politeness
    permissions: Mapping[KeyKind, tuple[str, ...]]
    probe: Probe
    proof_refused: Call | None
    status: Call
    long_poll: LongPoll | None
    look_up: Call | None
    look_up_items: Paths
    look_up_next: Paths
    look_up_page: Call | None
    cancel: Call | None
    devices: Call | None
    device_fields: DeviceFields
    sales: Mapping[SaleMode, SaleForm]
    started: AnswerFields
    statuses: Mapping[str, Word]
    responses: Mapping[str, Word]
    codes: tuple[CodeRange, ...]
    texts: Mapping[str, Word]
    errors: ErrorFields
    portal: PortalForm | None

    @property
    def facts(self) -> ContractFacts:
        """What forms and use cases need to know of it."""
        return ContractFacts(
            name=self.name,
            can_create_keys=self.portal is not None,
            can_list_users=self.portal is not None,
            portal_path=self.portal_path,
            permissions=dict(self.permissions),
            modes=tuple(self.sales),
            can_cancel=self.cancel is not None,
            can_look_up=self.look_up is not None,
            title=self.title,
            deadline_s=self.deadline_s,
            held_s=self.long_poll.held_s if self.long_poll else 0.0,
            requests_per_s=self.politeness.requests_per_s,
            start_per_s=self.politeness.start_per_s,
            at_once=self.politeness.at_once,
            proof_calls=tuple((str(call), expected) for expected, call in self.proof_calls.items()),
        )

    @property
    def proof_calls(self) -> Mapping[Expectation, Call]:
        """The calls of the same-permission proof, by what each should meet."""
        calls = {Expectation.ALLOWED: self.probe.call}
        return calls | {Expectation.REFUSED: self.proof_refused} if self.proof_refused else calls

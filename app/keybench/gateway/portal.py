"""The portal's key flow over HTTP, where a contract has it: list users, create a key, delete one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import AnswerUnreadable, KeyMadeBefore, NotSent
from keybench.core.input_errors import NameTaken
from keybench.core.keys.key import KeyDraft
from keybench.core.ports import CreatedKey, PortalUser, drop_exchange
from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.gateway.answers import refusal, said
from keybench.gateway.client import HttpSpeaker, contract_of, url_of
from keybench.gateway.contract import Contract, PortalForm
from keybench.gateway.contract_rules import Call
from keybench.gateway.json_paths import (
    document_in,
    find,
    find_id,
    find_items,
    find_text,
    find_words,
    whole,
    words,
)
from keybench.gateway.messages import Answer, ConnectionUse, Request
from keybench.gateway.redaction import Redactor

#: Where a key's identifier stands, also in the answer that it was created before.
_ID: Final = ("id",)


class HttpPortal(HttpSpeaker):
    """Implements `core.ports.Portal`; what its methods may raise is said there. Its calls carry no key."""

    async def users(self, environment: Environment, base_url: str) -> Sequence[PortalUser]:
        """List the account's users."""
        contract, form = self._form(environment)
        answer = await self._send(environment, form, form.users, base_url)
        self._refuse(answer, contract)
        items = find_items(whole(answer), form.user_items)
        if items is None:
            raise AnswerUnreadable(Reason.NO_LIST, status=answer.status)
        return [user for item in items if (user := _user(item))]

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        """Create a key; `request_id` keeps a repeated call from creating a second one."""
        contract, form = self._form(environment)
        body = {
            "name": draft.name,
            "username": draft.username,
            "permission": draft.permission,
            "kind": draft.kind.value,
            "request_id": request_id,
        }
        answer = await self._send(environment, form, form.create, base_url, body=body)
        if answer.status == HTTPStatus.CONFLICT:
            _refuse_conflict(answer, contract, form, draft.name)
        self._refuse(answer, contract)
        return _created(answer)

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        """Delete a key; no error if it is gone already."""
        contract, form = self._form(environment)
        answer = await self._send(environment, form, form.delete, base_url, parts={"key_id": gateway_id})
        if answer.status == HTTPStatus.NOT_FOUND:
            return
        self._refuse(answer, contract)
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise AnswerUnreadable(Reason.REDIRECT, status=answer.status)

    def _form(self, environment: Environment) -> tuple[Contract, PortalForm]:
        contract = contract_of(self._contracts, environment.contract)
        if contract.portal is None:
            raise NotSent(Reason.NOT_OFFERED)
        return contract, contract.portal

    async def _send(
        self,
        environment: Environment,
        form: PortalForm,
        call: Call,
        base_url: str,
        *,
        parts: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        headers = {form.header: form.header_value} if form.header else {}
        url = url_of(base_url, call, parts or {})
        # Creating a key, like a sale, must not be lost on a connection that died while it idled.
        use = ConnectionUse.SHARED if call.method == "GET" else ConnectionUse.ALONE
        return await self._transport.send(
            Request(environment, call.method, url, headers, body, (), drop_exchange), use
        )

    def _refuse(self, answer: Answer, contract: Contract) -> None:
        if error := refusal(answer, contract.errors, Redactor(), self._clock.now()):
            raise error


def _refuse_conflict(answer: Answer, contract: Contract, form: PortalForm, name: str) -> None:
    code = said(answer, contract.errors, Redactor()).code
    if code in form.name_taken:
        raise NameTaken("key", name)
    if code in form.repeated:
        made = Redactor().clean(find_id(document_in(answer), _ID))
        raise KeyMadeBefore(made, status=answer.status)


def _created(answer: Answer) -> CreatedKey:
    document = whole(answer)
    gateway_id, value = find_id(document, _ID), find(document, ("value",))
    if not gateway_id or not isinstance(value, str) or not value:
        raise AnswerUnreadable(Reason.NO_KEY, status=answer.status)
    created = CreatedKey(gateway_id, Secret(value))
    if not Redactor([created.value]).clean(gateway_id):
        raise AnswerUnreadable(Reason.NO_KEY, status=answer.status)
    return created


def _user(item: Any) -> PortalUser | None:
    username = Redactor().clean(find_text(item, ("username",)))
    permissions = find_items(item, ("permissions",)) or []
    if not username:
        return None
    return PortalUser(
        username=username,
        full_name=find_words(item, ("full_name",), Redactor()),
        permissions=tuple(words(word, Redactor()) for word in permissions if isinstance(word, str)),
        enabled=find(item, ("enabled",)) is not False,
    )

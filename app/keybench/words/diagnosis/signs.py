"""What checks see, in words: a sentence for each observation, with its facts where they are known."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from keybench.core.diagnosis.checks import Fact, Observation, Sign
from keybench.core.reasons import Reason
from keybench.words.formats import day_and_time, duration, roughly
from keybench.words.language import _
from keybench.words.reasons import reason_sentence

_OPTIONAL: Final = re.compile(r"\[([^]]*)\]")
_PLACE: Final = re.compile(r"{(\w+)}")
_REASONS: Final = frozenset(str(reason) for reason in Reason)
#: What stands in brackets is left out where its facts aren't known.
_SENTENCES: Final[dict[Sign, str]] = {
    Sign.SALE_APPROVED: _("The sale was approved[, but only {approved} of it: the rest was not]."),
    Sign.SALE_DECLINED: _("The sale was declined[: “{message}”]."),
    Sign.SALE_TEST_AMOUNT: _("{amount} was declined, as this gateway does in tests."),
    Sign.SALE_TEST_MODE: _("The live gateway answered as in tests."),
    Sign.SALE_CANCELLED: _("The sale was cancelled at the device."),
    Sign.SALE_CANCELLED_HERE: _("The sale was cancelled by a program, not at the device."),
    Sign.SALE_EXPIRED: _("The sale expired on the device."),
    Sign.SALE_EXPIRED_UNTOUCHED: _("The sale expired, and the device never took it up."),
    Sign.SALE_EXPIRED_WAITING: _("The sale expired while the device waited for a card."),
    Sign.SALE_SENT_ELSEWHERE: _("The sale went to another address than the environment has now."),
    Sign.SALE_DEVICE_BUSY: _("The device was busy with another sale."),
    Sign.SALE_DEVICE_OFFLINE: _("The gateway said that the device wasn't connected."),
    Sign.SALE_DEVICE_UNKNOWN: _("The gateway didn't know what was asked for[ ({status})]."),
    Sign.SALE_DUPLICATE: _("The gateway refused the sale as a repeated one."),
    Sign.SALE_CONFLICT: _("The gateway said that the sale conflicts with something[: “{message}”]."),
    Sign.SALE_BAD_REQUEST: _("The gateway didn't accept the request[: “{message}”]."),
    Sign.SALE_NOT_UNDERSTOOD: _("The gateway's answer to the sale wasn't understood."),
    Sign.SALE_CONTRADICTORY: _("The gateway's answer contradicts itself, or what was asked for."),
    Sign.SALE_NO_OUTCOME: _("No outcome came before the deadline."),
    Sign.SALE_PROCESSOR: _("The gateway said that the processor gave no answer."),
    Sign.JOURNAL_READY: _("The journal can be read and written."),
    Sign.JOURNAL_FAILED: _("The journal failed[: {detail}]."),
    Sign.JOURNAL_SILENT: _("The journal gave no answer; another program may hold it."),
    Sign.VALUE_AS_KEPT: _(
        "The value in the keystore is the one that was kept[, with the fingerprint {fingerprint}]."
    ),
    Sign.VALUE_OTHER: _(
        "The value in the keystore has another fingerprint than the one that was kept[: {found}, not {fingerprint}]."
    ),
    Sign.VALUE_MISSING: _("The keystore has no value for this key."),
    Sign.KEYSTORE_SHUT: _("The keystore can't be used[: {detail}]."),
    Sign.KEYSTORE_SILENT: _("The keystore gave no answer."),
    Sign.FORM_USUAL: _("{length} characters in a usual form, with nothing around them."),
    Sign.FORM_UNUSUAL: _("The value has a form that no known key has[, with {length} characters]."),
    Sign.FORM_STRAY: _("There are stray characters in the value."),
    Sign.FORM_SCHEME_WORD: _("A word such as Bearer stands in front of the value."),
    Sign.FORM_PUBLIC: _("The value looks like a public key's."),
    Sign.FORM_PRIVATE: _("The value looks like a private key's, and the key is kept as public."),
    Sign.FORM_PARTNER: _("The value looks like a key of the partner API."),
    Sign.KIND_PUBLIC: _("The key is kept as a public one, and public keys can't sell."),
    Sign.URL_PLAIN: _("{base_url} is in order."),
    Sign.URL_PATH_TWICE: _("The base URL holds the path of a call[; {correction} was probably meant]."),
    Sign.URL_HTTP: _("The base URL begins with http; {correction} was probably meant."),
    Sign.URL_PORTAL: _("The base URL is a portal's page; {correction} was probably meant."),
    Sign.URL_ODD: _("The base URL is unusual; {correction} was probably meant."),
    Sign.URL_OTHER_KIND: _("The host {host} looks like one of the other kind, test or live."),
    Sign.CONTRACT_READY: _("The contract {contract} can be used."),
    Sign.CONTRACT_INVALID: _("The contract can't be used[: {detail}]."),
    Sign.NAME_FOUND: _("{host} has the address {address}."),
    Sign.NAME_LITERAL: _("The host is an address, with no name to look up."),
    Sign.NAME_NOT_FOUND: _("No name server knows the host[ {host}]."),
    Sign.NAME_BLOCKED: _("The name server answers {address} for {host}, as a filter does."),
    Sign.NAME_SILENT: _("The name server gave no answer."),
    Sign.NAME_LEFT_TO_PROXY: _("The proxy looks the name up."),
    Sign.CONNECTED: _("Connected to {address}."),
    Sign.CONNECT_REFUSED: _("The host refused the connection[ ({address})]."),
    Sign.CONNECT_SILENT: _("The host didn't answer[ ({address})]."),
    Sign.CONNECT_UNREACHABLE: _("This network has no way to the host."),
    Sign.CONNECT_LOST: _("The connection broke off."),
    Sign.CONNECTED_TO_PROXY: _("Connected to the proxy {proxy}."),
    Sign.CONNECT_NOT_TO_PROXY: _("The proxy {proxy} can't be connected to."),
    Sign.PROXY_NONE: _("No proxy is on the way."),
    Sign.PROXY_PASSES: _("The proxy {proxy} leads on."),
    Sign.PROXY_UNUSABLE: _("The proxy can't be reached or used[: {detail}]."),
    Sign.PROXY_PASSWORD: _("The proxy wants another user or password."),
    Sign.PROXY_REFUSES: _("The proxy refused to lead on[ ({status})]."),
    Sign.PROXY_IN_VAIN: _("The proxy says that it can't reach the gateway ({status})."),
    Sign.PROXY_SILENT: _("The proxy gave no answer."),
    Sign.PROXY_ANSWERS_ITSELF: _("The proxy answers in the gateway's place."),
    Sign.PROXY_NEEDLESS: _("The way without the proxy works."),
    Sign.TLS_NONE: _("The address is this computer's own, so nothing is encrypted."),
    Sign.TLS_TRUSTED: _("{version}, certificate by {issuer}, {days} days left."),
    Sign.TLS_TRUSTED_HERE: _("{version}, certificate by {issuer}, {days} days left."),
    Sign.TLS_ENDS_SOON: _("The certificate is trusted, and ends in {days} days."),
    Sign.TLS_PRIVATE_ISSUER: _("The certificate is trusted on this computer alone: {issuer} issued it."),
    Sign.TLS_INSPECTION_TRUSTED: _("{issuer} inspects encrypted traffic here, and this computer trusts it."),
    Sign.TLS_INSPECTION: _(
        "The certificate was issued by a program that inspects encrypted traffic[, {issuer}]."
    ),
    Sign.TLS_EXPIRED: _("The certificate has expired[, {days} days ago]."),
    Sign.TLS_NOT_YET_VALID: _(
        "By this computer's clock the certificate isn't valid yet[: it begins in {days} days]."
    ),
    Sign.TLS_WRONG_HOST: _("The certificate is for another host[: {names}]."),
    Sign.TLS_SELF_SIGNED: _("The certificate was issued by its own holder."),
    Sign.TLS_UNTRUSTED: _("This computer doesn't know who issued the certificate[: {issuer}]."),
    Sign.TLS_SILENT: _("The host connects, and the encryption never begins."),
    Sign.TLS_LOST: _("The connection broke off while the encryption began."),
    Sign.TLS_NOT_SPOKEN: _("The port doesn't speak TLS."),
    Sign.TLS_FAILED: _("The encryption failed[: {detail}]."),
    Sign.CLOCK_RIGHT: _("Within {offset_s} of the gateway's clock."),
    Sign.CLOCK_WRONG: _("The clock is {offset_s} from the gateway's."),
    Sign.GATEWAY_ASKS_FOR_KEY: _("It answered[ in {took_s}], and asks for a key[ ({status})]."),
    Sign.GATEWAY_OPEN: _("It answers a call without a key, as gateways don't."),
    Sign.PAGE: _("A page for people answers, not a gateway."),
    Sign.BARRED_BY_PAGE: _("The refusal is a page for people ({status})."),
    Sign.REDIRECT: _("It leads on to another address[, {leads_to}]."),
    Sign.REDIRECT_AWAY: _("It leads away to somebody else's address[, {leads_to}]."),
    Sign.GATEWAY_REFUSES: _("It refuses a call without a key, though not as gateways do ({status})."),
    Sign.GATEWAY_NO_PATH: _("What answers doesn't know the API's path (404)."),
    Sign.FAILING: _("The gateway failed[ ({status})]."),
    Sign.STRANGE: _("The answer isn't a gateway's."),
    Sign.RATE_LIMIT: _("The gateway says that it is called too often."),
    Sign.SILENT: _("It connects, and gave no answer."),
    Sign.LOST: _("The connection broke off before the answer."),
    Sign.CALL_ACCEPTED: _("The gateway accepts the key[ ({status})]."),
    Sign.CALL_UNAUTHORISED: _("The gateway refused the key (401)[: “{message}”]."),
    Sign.CALL_FORBIDDEN: _("The gateway doesn't allow it (403)[: “{message}”]."),
    Sign.CALL_DENIED: _(
        "The gateway refused the call within an answer that looks like success[: “{message}”]."
    ),
    Sign.CALL_NO_PATH: _("What answers doesn't know the call's path (404)."),
    Sign.CALL_REFUSED_OTHERWISE: _("The gateway refused the call[ ({status})]."),
    Sign.WORDS_KEY_ENDED: _("Its words name an expired or deleted key."),
    Sign.WORDS_KEY_FORM: _("Its words name the form of the key."),
    Sign.WORDS_HEADER: _("Its words name the header that carries the key."),
    Sign.WORDS_KIND: _("Its words name the kind of the key."),
    Sign.WORDS_ENVIRONMENT: _("Its words name another environment."),
    Sign.WORDS_USER: _("Its words name a disabled user."),
    Sign.WORDS_PERMISSION: _("Its words name a missing permission."),
    Sign.WORDS_ACCOUNT: _("Its words name the account."),
    Sign.WORDS_RATE: _("Its words name a rate limit."),
    Sign.OTHER_FORM_ACCEPTED: _("The gateway accepts the key as {form}."),
    Sign.OTHER_FORMS_REFUSED: _("Bearer, Basic and X-Api-Key are refused alike."),
    Sign.LIKE_A_MADE_UP_KEY: _("A made-up value gets the same answer."),
    Sign.MADE_UP_KEY_ACCEPTED: _("A made-up value is accepted, so nobody looks at the key there."),
    Sign.MADE_UP_KEY_REFUSED: _("A made-up value is refused, so the gateway looks at the key."),
    Sign.UNLIKE_A_MADE_UP_KEY: _("A made-up value gets another answer, so the gateway knows this key."),
    Sign.USER_MAY_SELL: _("{username} is enabled and may sell."),
    Sign.USER_MAY_NOT_SELL: _("{username} may not sell."),
    Sign.USER_DISABLED: _("{username} is disabled."),
    Sign.USER_NOT_LISTED: _("The gateway lists no user {username}."),
    Sign.DEVICE_READY: _("The device is connected and free."),
    Sign.DEVICE_READY_NOW: _("The device is connected and free now."),
    Sign.DEVICE_CONNECTED: _("The device is connected; the gateway doesn't tell whether it is busy."),
    Sign.DEVICE_KNOWN: _("The gateway knows the device, and doesn't tell whether it is connected."),
    Sign.DEVICE_UNKNOWN: _("The gateway doesn't know {device}."),
    Sign.DEVICE_OFFLINE: _("The device isn't connected[, and was last seen on {at}]."),
    Sign.DEVICE_BUSY: _("The device is busy[ with {holder}][ (payment request {request_id})]."),
    Sign.RATE_MET: _("The rate limit was met on {at}."),
    Sign.RATE_NOT_MET: _("The rate limit wasn't met in the last hour."),
    Sign.KEY_WORKED: _("The key last worked here on {at}."),
    Sign.KEY_WORKED_SINCE: _("The key has worked again since, on {at}."),
    Sign.KEY_MADE_HERE: _("The gateway made this key on {at}."),
    Sign.KEY_NEVER_WORKED: _("The key has never worked here, as far as this computer knows."),
    Sign.KEY_REPLACED: _("A rotation replaced the key on {at}."),
    Sign.KEY_COMPROMISED: _("The key is marked as compromised."),
    Sign.OTHERS_WORK: _("“{key}”, another key, works here."),
    Sign.OTHERS_REFUSED: _("Other keys are refused here, too."),
    Sign.SAME_VALUE_ELSEWHERE: _(
        "Its fingerprint {fingerprint} is also kept in {environment}[, where it worked on {at}]."
    ),
    Sign.NOTHING_KNOWN: _("No key is chosen, so there is nothing to tell of one."),
    Sign.ELSEWHERE_ACCEPTED: _("{environment} accepts the key."),
    Sign.ELSEWHERE_REFUSED: _("{environment} refuses the key, too."),
    Sign.ENVIRONMENT_CHANGED: _("The environment was edited on {at}, after the key last worked."),
}


def observation_text(observation: Observation) -> str:
    """Return what was seen as a sentence; a fact that it needs and that isn't known is an ellipsis."""
    facts = {name: _shown(name, fact) for name, fact in observation.facts.items() if fact != ""}
    if reason := str(observation.facts.get("reason", "")):
        facts.setdefault("detail", (reason_sentence(reason) if reason in _REASONS else reason).rstrip("."))

    def known(part: re.Match[str]) -> str:
        return part[1] if all(name in facts for name in _PLACE.findall(part[1])) else ""

    sentence = _OPTIONAL.sub(known, _SENTENCES[observation.seen])
    return sentence.format_map(dict.fromkeys(_PLACE.findall(sentence), "…") | facts)


def _shown(name: str, fact: Fact) -> str:
    if isinstance(fact, datetime):
        return day_and_time(fact)
    if name == "form" and fact == "bare":
        return _("a bare value")
    if name == "offset_s":  # an answer's Date has whole seconds
        return roughly(abs(float(fact)))
    return duration(abs(float(fact))) if name.endswith("_s") else str(fact)

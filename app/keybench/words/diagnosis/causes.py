"""The causes of a failure in words: what is the matter, the same in a few words, and the one thing to do."""

from __future__ import annotations

from typing import Final

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.conclusion import Standing
from keybench.words.language import _

_CAUSES: Final = {
    Cause.JOURNAL: (
        _("The journal can't be used."),
        _("journal"),
        _("Make room on the disk, close other Keybench windows, or choose another folder with --data-dir."),
    ),
    Cause.KEYSTORE: (
        _("The key's value can't be read from the keystore."),
        _("keystore"),
        _("Unlock the keystore, or give the key its value again."),
    ),
    Cause.VALUE_CHANGED: (
        _("The keystore has another value than the one that was kept."),
        _("changed value"),
        _("Give the key its value again. If nobody changed it on purpose, treat the key as compromised."),
    ),
    Cause.CONTRACT: (
        _("The environment's contract doesn't fit this gateway."),
        _("contract"),
        _("Choose another contract in the environment's settings, or correct its file."),
    ),
    Cause.BASE_URL: (
        _("The base URL isn't the gateway's."),
        _("base URL"),
        _("Correct the base URL in the environment's settings."),
    ),
    Cause.CLOCK: (
        _("This computer's clock is wrong."),
        _("clock"),
        _("Set the clock, best from a time server, then try again."),
    ),
    Cause.PROXY: (
        _("The proxy doesn't let calls through."),
        _("proxy"),
        _("Check the proxy in the environment's settings, and its user and password."),
    ),
    Cause.NAME_RESOLUTION: (
        _("The gateway's host name isn't found."),
        _("name resolution"),
        _("Check the network and its name server, and the spelling of the base URL."),
    ),
    Cause.CONNECTION_REFUSED: (
        _("The host refuses the connection."),
        _("connection refused"),
        _("Check the port in the base URL, and whether a firewall is in the way or the gateway is down."),
    ),
    Cause.NO_ANSWER: (
        _("No answer comes."),
        _("no answer"),
        _("Check the network and the firewall; if others reach the gateway, ask who runs this network."),
    ),
    Cause.CONNECTION_LOST: (
        _("The connection breaks off."),
        _("connection lost"),
        _("Check the network on the way; look the sale up before anything is sent again."),
    ),
    Cause.TLS_INSPECTED: (
        _("The network inspects encrypted traffic."),
        _("TLS inspection"),
        _("Ask who runs this network to leave the gateway's host out, or to install their certificate here."),
    ),
    Cause.TLS_EXPIRED: (
        _("The gateway's certificate is out of date."),
        _("certificate's dates"),
        _("Tell the gateway's support. Don't go on without encryption."),
    ),
    Cause.TLS_WRONG_HOST: (
        _("The certificate is for another host."),
        _("certificate's host"),
        _("Check the base URL. If it is right, tell the gateway's support."),
    ),
    Cause.TLS_UNTRUSTED: (
        _("The certificate isn't trusted here."),
        _("certificate's issuer"),
        _("Ask the gateway's support who issued it, and install the issuer only if they confirm it."),
    ),
    Cause.NOT_A_GATEWAY: (
        _("Something else than a gateway answers there."),
        _("not a gateway"),
        _("Open the address in a browser: it may be a sign-in page of the network, or a wrong base URL."),
    ),
    Cause.GATEWAY_FAILING: (
        _("The gateway itself fails."),
        _("failing gateway"),
        _("Wait and try again; look for a notice of the gateway's operator."),
    ),
    Cause.RATE_LIMIT: (
        _("The gateway is called too often."),
        _("rate limit"),
        _("Wait a minute, and find out what else calls with this key."),
    ),
    Cause.KEY_WRONG_ENVIRONMENT: (
        _("The key belongs to another environment."),
        _("another environment"),
        _("Use the key in its own environment, or take this environment's key."),
    ),
    Cause.KEY_EXPIRED_OR_DELETED: (
        _("The key has expired or was deleted."),
        _("expired or deleted"),
        _("Look in the portal whether the key is listed, and add a new one if not."),
    ),
    Cause.KEY_FORM: (
        _("The value isn't in the form of a key."),
        _("form of the value"),
        _("Copy the value again, the whole of it and nothing else, and give it to the key."),
    ),
    Cause.HEADER_FORM: (
        _("The key is sent in another form than the gateway wants."),
        _("header form"),
        _("Choose a contract that sends the key as the gateway wants it."),
    ),
    Cause.KEY_WRONG_KIND: (
        _("The key is of the wrong kind."),
        _("key's kind"),
        _("Use a private key of this account; public keys can't sell."),
    ),
    Cause.USER_DISABLED: (
        _("The key's user is disabled."),
        _("disabled user"),
        _("Enable the user in the portal, or use a key of another user."),
    ),
    Cause.PERMISSION_MISSING: (
        _("The key's user lacks a permission."),
        _("missing permission"),
        _("Give the user the permission in the portal, or use a key of a user who has it."),
    ),
    Cause.KEY_INVALID: (
        _("The gateway never knew this key."),
        _("unknown key"),
        _("Compare the fingerprint with whoever made the key, and copy the value again."),
    ),
    Cause.ACCOUNT_RESTRICTED: (
        _("The account is restricted."),
        _("restricted account"),
        _("Ask the gateway's support about the account."),
    ),
    Cause.DEVICE_UNKNOWN: (
        _("The gateway doesn't know the device."),
        _("unknown device"),
        _("Check the device's identifier, or register the device in this environment."),
    ),
    Cause.DEVICE_OFFLINE: (
        _("The device isn't connected."),
        _("device offline"),
        _("Check the device's power and network, and wait until it is connected."),
    ),
    Cause.DEVICE_BUSY: (
        _("The device is busy with another sale."),
        _("device busy"),
        _("Wait until the other sale ends, or cancel it."),
    ),
    Cause.DUPLICATE: (
        _("The gateway takes the sale for one that it has just had."),
        _("duplicate"),
        _("Look the first sale up. Wait some minutes, or change the amount in tests."),
    ),
    Cause.TEST_AMOUNT: (
        _("The gateway declines this amount in tests."),
        _("test amount"),
        _("Sell another amount, such as 10.00."),
    ),
    Cause.TEST_MODE: (
        _("The live account is in test mode."),
        _("test mode"),
        _("Switch test mode off in the portal: no money moves until then."),
    ),
    Cause.CUSTOMER_LEFT: (
        _("The sale was cancelled at the device, or the customer left."),
        _("customer left"),
        _("Ask at the till, and sell again if the customer still wants to pay."),
    ),
    Cause.CUSTOMER_SLOW: (
        _("The customer took longer than the device waits."),
        _("slow customer"),
        _("Sell again, with the card at hand."),
    ),
    Cause.DECLINED_BY_ISSUER: (
        _("The card's issuer declined the payment."),
        _("declined by the issuer"),
        _("Ask the customer for another card. Only their bank can tell why."),
    ),
}
_TROUBLES: Final = {
    Trouble.OURS: _("Our side"),
    Trouble.NETWORK: _("The network"),
    Trouble.GATEWAY: _("The gateway"),
    Trouble.DEVICE: _("The device"),
    Trouble.CUSTOMER: _("The customer"),
    Trouble.ISSUER: _("The card's issuer"),
    Trouble.NONE: _("No trouble"),
    Trouble.OPEN: _("Open"),
}
_STANDINGS: Final = {
    Standing.LIKELY: _("likely"),
    Standing.POSSIBLE: _("possible"),
    Standing.RULED_OUT: _("ruled out"),
}


def cause_title(cause: Cause) -> str:
    return _CAUSES[cause][0]


def cause_name(cause: Cause) -> str:
    return _CAUSES[cause][1]


def remedy(cause: Cause) -> str:
    return _CAUSES[cause][2]


def trouble_word(trouble: Trouble) -> str:
    return _TROUBLES[trouble]


def standing_word(standing: Standing) -> str:
    return _STANDINGS[standing]

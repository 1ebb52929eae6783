"""Which certificates are trusted: the system's, and no environment variable has a say."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path

import httpcore
import pytest
import truststore

from gateway.callers import ORDER, MakeCaller
from gateway.certificates import certificate, serving
from gateway.hostile import hostile, http, says
from keybench.core.errors import NotSent
from keybench.core.ports import Accepted
from keybench.gateway import trust
from keybench.gateway.client import HttpGateway
from keybench.gateway.failures import reason_of
from keybench.gateway.trust import system_trust

TAKEN = says(http("202 Accepted", b'{"id": "r1"}'))


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    return certificate(tmp_path / "made")


def trusts(monkeypatch: pytest.MonkeyPatch, *files: Path) -> None:
    """Let the system's list of authorities be in these files."""
    monkeypatch.setattr(trust, "FILES", [str(file) for file in files])


async def test_a_private_authority_that_the_system_trusts_is_trusted(
    monkeypatch: pytest.MonkeyPatch, authority: Path, caller: MakeCaller
) -> None:
    trusts(monkeypatch, authority.with_name("missing.pem"), authority)
    gateway = HttpGateway()
    async with hostile(TAKEN, tls=serving(authority)) as server:
        assert await gateway.start_sale(caller(server.base_url), ORDER) == Accepted("r1")
    await gateway.close()


async def test_a_variable_makes_nobody_trusted_and_writes_no_secrets(
    monkeypatch: pytest.MonkeyPatch, authority: Path, tmp_path: Path, caller: MakeCaller
) -> None:
    trusts(monkeypatch, certificate(tmp_path / "other"))
    secrets = tmp_path / "secrets.log"
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("SSL_CERT_DIR", str(authority.parent))
    monkeypatch.setenv("SSLKEYLOGFILE", str(secrets))
    refusing, trusting = HttpGateway(), HttpGateway()
    async with hostile(TAKEN, tls=serving(authority)) as server:
        with pytest.raises(NotSent) as raised:
            await refusing.start_sale(caller(server.base_url), ORDER)
        assert server.requests == []
        trusts(monkeypatch, authority)
        await trusting.start_sale(caller(server.base_url), ORDER)
    await refusing.close()
    await trusting.close()
    assert raised.value.reason.startswith("tls ")
    assert not secrets.exists()


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
async def test_a_system_without_authorities_is_told_and_spoken_to_plainly_on_loopback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caller: MakeCaller, content: bytes | None
) -> None:
    file = tmp_path / "authorities.pem"
    if content is not None:
        file.write_bytes(content)
    trusts(monkeypatch, file)
    gateway = HttpGateway()
    async with hostile(TAKEN) as server:
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(caller(server.base_url.replace("http:", "https:")), ORDER)
        assert server.requests == []
        assert await gateway.start_sale(caller(server.base_url), ORDER) == Accepted("r1")
    await gateway.close()
    assert raised.value.reason == "tls no authorities"


def test_tls_is_new_enough_and_checks_the_host() -> None:
    context = system_trust(trust.FILES)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.keylog_filename is None


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_windows_and_macos_are_asked_through_truststore(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "secrets.log"))
    context = system_trust([])
    assert isinstance(context, truststore.SSLContext)
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert context.check_hostname
    assert context.keylog_filename is None


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (0x800B0101, "tls certificate out of date"),
        (0x800B0109, "tls untrusted"),
        (0x800B010F, "tls wrong host"),
        (-67818, "tls certificate expired"),
        (-67819, "tls certificate not yet valid"),
        (-67602, "tls wrong host"),
        (-67843, "tls untrusted"),
        (None, "tls untrusted"),
    ],
)
def test_what_windows_and_macos_refuse_is_told_in_the_same_words(code: int | None, reason: str) -> None:
    refused = ssl.SSLCertVerificationError("refused")
    if code is not None:
        refused.verify_code = code
    failed = httpcore.ConnectError()
    failed.__cause__ = refused
    assert reason_of(failed) == reason

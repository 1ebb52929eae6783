"""TLS that can't be trusted: nothing is sent, and the reason is told apart."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gateway.callers import MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import NotSent
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted, SaleOrder
from keybench.gateway.client import HttpGateway

NOW = dt.datetime.now(dt.UTC)
DAY = dt.timedelta(days=1)
TAKEN = says(http("202 Accepted", b'{"id": "r1"}'))


def certificate(folder: Path, *, address: str = "127.0.0.1", starts: int = -2, ends: int = 2) -> Path:
    """Write a self-signed certificate with its key; `starts` and `ends` are in days from now."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "practice test")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + starts * DAY)
        .not_valid_after(NOW + ends * DAY)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


def serving(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def trusting(path: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(path))


@pytest.mark.parametrize(
    ("address", "starts", "ends", "trusted", "reason"),
    [
        ("127.0.0.1", -2, 2, False, "tls self-signed"),
        ("127.0.0.1", -9, -2, True, "tls certificate expired"),
        ("127.0.0.1", 2, 9, True, "tls certificate not yet valid"),
        ("10.9.8.7", -2, 2, True, "tls wrong host"),
    ],
)
async def test_an_untrusted_gateway_is_sent_nothing(
    tmp_path: Path,
    caller: MakeCaller,
    order: SaleOrder,
    address: str,
    starts: int,
    ends: int,
    reason: str,
    *,
    trusted: bool,
) -> None:
    path = certificate(tmp_path, address=address, starts=starts, ends=ends)
    gateway = HttpGateway(tls=trusting(path) if trusted else None)
    async with hostile(TAKEN, tls=serving(path)) as server:
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(caller(server.base_url), order)
        await gateway.close()
        assert server.requests == []
    assert raised.value.reason == reason


async def test_a_gateway_that_speaks_plainly_where_tls_is_due_is_sent_nothing(
    gateway: HttpGateway, caller: MakeCaller, order: SaleOrder
) -> None:
    async with hostile(TAKEN, reads=False) as server:
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(caller(server.base_url.replace("http:", "https:")), order)
    assert raised.value.reason in {"tls", "connection closed", "connection reset"}


async def test_a_trusted_gateway_is_spoken_to_and_timed(
    tmp_path: Path, caller: MakeCaller, order: SaleOrder, exchanges: list[Exchange]
) -> None:
    path = certificate(tmp_path)
    gateway = HttpGateway(tls=trusting(path))
    async with hostile(TAKEN, tls=serving(path)) as server:
        assert await gateway.start_sale(caller(server.base_url), order) == Accepted("r1", "")
        await gateway.close()
    timings = exchanges[0].timings
    phases = [timings.connect_s, timings.tls_s, timings.wait_s, timings.read_s]
    assert all(phase is not None and 0 <= phase <= timings.total_s for phase in phases)

"""Self-signed certificates made for one test, and the TLS contexts that serve or trust them."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = dt.timedelta(days=1)


def certificate(
    folder: Path, *, address: str = "127.0.0.1", name: str = "", starts: int = -2, ends: int = 2
) -> Path:
    """Write a certificate for an address, or a host's name, with its key; times are in days from now."""
    key = ec.generate_private_key(ec.SECP256R1())
    serial = x509.random_serial_number()
    # A name of its own: an authority is looked for by it, and a test may trust several.
    holder = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"practice test {serial}"[:64])])
    host = x509.DNSName(name) if name else x509.IPAddress(ipaddress.ip_address(address))
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(holder)
        .issuer_name(holder)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(now + starts * DAY)
        .not_valid_after(now + ends * DAY)
        .add_extension(x509.SubjectAlternativeName([host]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(exist_ok=True)
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

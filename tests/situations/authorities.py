"""Certificates of a situation: authorities that are trusted or not, and what they sign."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_DAY = dt.timedelta(days=1)
_PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class Authority:
    """Somebody who signs certificates."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey
    pem: str

    @classmethod
    def made(cls, organisation: str) -> Authority:
        """Return a new one."""
        key = ec.generate_private_key(ec.SECP256R1())
        parts = (
            (x509.NameOID.ORGANIZATION_NAME, organisation),
            (x509.NameOID.COMMON_NAME, f"{organisation} CA"),
        )
        name = x509.Name([x509.NameAttribute(*part) for part in parts])
        now = dt.datetime.now(dt.UTC)
        usage = x509.KeyUsage(
            *[False] * 5, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False
        )
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 900 * _DAY)
            .not_valid_after(now + 900 * _DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        return cls(name, key, made.public_bytes(_PEM).decode())

    def trusting(self) -> ssl.SSLContext:
        """Return what a client goes by that trusts this authority."""
        context = ssl.create_default_context(cadata=self.pem)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context

    def serving(self, *hosts: str, starts: int = -30, ends: int = 200) -> ssl.SSLContext:
        """Return what a server with a certificate for these hosts goes by; times are in days from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = dt.datetime.now(dt.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, hosts[0])]))
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + starts * _DAY)
            .not_valid_after(now + ends * _DAY)
            .add_extension(x509.SubjectAlternativeName([_general(host) for host in hosts]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False
            )
            .sign(self.key, hashes.SHA256())
        )
        private = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "both.pem"
            path.write_bytes(private + made.public_bytes(_PEM) + self.pem.encode())
            context.load_cert_chain(path)
        return context


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)

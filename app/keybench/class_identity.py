"""Who serves a class: a certificate made for the run, and the four words people compare it by.

Both ends of a class need it, the practice gateway that serves and the console that joins, so it stands beside
them and imports neither.
"""

import hashlib
import ipaddress
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

#: One word a byte. They are short, told apart by ear, and none is another's beginning.
_LISTED: Final = """
    acorn agate alder almond amber anchor apple apron arrow atlas autumn badger bagel bamboo banjo
    barley basil beacon bear beetle bellow birch biscuit bison blanket bobbin bonnet boulder bramble
    brick bridge bronze brook bucket buffalo butter button cabin cactus camel candle canoe canyon
    carpet carrot castle cedar cello cherry chestnut chimney cinnamon citrus clover cobalt coconut
    comet compass copper coral cotton coyote cradle crane crayon cricket crystal cushion cypress
    dahlia daisy dancer dandelion desert diamond dolphin domino donkey dragon drum eagle ember
    emerald engine fabric falcon feather fennel fern ferry fiddle fig finch flamingo flute forest
    fountain fox galaxy garlic garnet gazelle geyser ginger giraffe glacier goblet goose granite
    grape guitar hammer hammock harbor harvest hazel hedgehog helmet heron hickory honey horizon
    hornet husky ibis indigo island ivory jacket jaguar jasmine jelly jigsaw jungle juniper kayak
    kettle kitten kiwi koala ladder lagoon lantern lapis lark lavender lemon leopard lichen lilac
    lion lizard lobster lotus magnet magpie mango maple marble meadow melon mirror mitten monsoon
    moose mosaic mountain muffin mushroom mustard napkin nectar needle nickel nutmeg oasis ocean
    octopus olive onion opal orange orchid otter owl oyster paddle palm panda panther papaya parrot
    pearl pebble pelican penguin pepper pigeon pillow pine planet plum pocket pony poplar prairie
    puffin pumpkin puzzle quail quartz rabbit radish raft raven ribbon river robin rocket ruby
    saddle saffron salmon sandal sapphire satin scarf seal shadow shell silver sparrow spinach
    squirrel sunset swan tango teapot thistle thunder tiger timber toffee tomato topaz tulip tundra
    tunnel turtle umbra valley vanilla velvet violet walnut willow
"""
WORDS: Final = tuple(_LISTED.split())
#: So much work for each try makes it years until another certificate is found that has the same words.
_COST: Final = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}
_SALT: Final = b"keybench class certificate"
_LASTS: Final = timedelta(days=7)
_ALLOWANCE: Final = timedelta(days=1)
_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\n?", re.DOTALL)


def new_identity(host: str) -> str:
    """Return a new key and its certificate for an address, in PEM; for memory only."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Keybench class")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _ALLOWANCE)  # learners' clocks differ
        .not_valid_after(now + _LASTS)
        .add_extension(x509.SubjectAlternativeName([_name_of(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)  # its own authority
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (secret + built.public_bytes(serialization.Encoding.PEM)).decode("ascii")


def _name_of(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def certificate_of(pem: str) -> str:
    """Return the certificate in a PEM text, which may be a whole identity; ValueError if there is none."""
    if found := _CERTIFICATE.search(pem):
        return found[0]
    raise ValueError("no certificate")


def words_of(certificate: str) -> str:
    """Return the four words of a certificate in PEM; it takes some 50 ms. ValueError if it is none."""
    der = x509.load_pem_x509_certificate(certificate.encode("ascii")).public_bytes(serialization.Encoding.DER)
    digest = hashlib.scrypt(hashlib.sha256(der).digest(), salt=_SALT, dklen=4, **_COST)
    return "-".join(WORDS[byte] for byte in digest)

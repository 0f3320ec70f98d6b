"""The proof of an order: a detached JWS (RFC 7515 appendix F, EdDSA) over its canonical text. Needs only `cryptography`.

The canonical text is what ../../python/order_sha256.py hashes. See docs/signatures.md.
"""

import base64
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


def sign(text: str, jwk: dict) -> str:
    """`jwk`: a private Ed25519 key with its kid."""
    header = _encode(json.dumps({"alg": "EdDSA", "kid": jwk["kid"]}, separators=(",", ":")).encode())
    key = Ed25519PrivateKey.from_private_bytes(_decode(jwk["d"]))
    return f"{header}..{_encode(key.sign(_signed(header, text)))}"


def is_signed(text: str, proof: str, key_set: dict) -> bool:
    """Whether a key of the set has signed exactly this text. Does not check the key's limits."""
    header, nothing, signature = proof.split(".")
    members = json.loads(_decode(header))
    keys = [key for key in key_set["keys"] if key["kid"] == members.get("kid")]
    if nothing or members.get("alg") != "EdDSA" or len(members) != 2 or len(keys) != 1:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(_decode(keys[0]["x"])).verify(_decode(signature), _signed(header, text))
    except InvalidSignature:
        return False
    return True


def _signed(header: str, text: str) -> bytes:
    return f"{header}.{_encode(text.encode('utf-8'))}".encode("ascii")


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

"""Seals and opens payloads as Giro does: AES-256-GCM under a key ring (docs/encryption.md). Needs only `cryptography`."""

import base64
import json
import os
from dataclasses import dataclass
from typing import Mapping, Tuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12


class SealError(Exception):
    """Sealed data do not open. The message names a key id, never a key or content."""


@dataclass(frozen=True)
class KeyRing:
    """Keys by id: the active key seals, every key opens."""

    active: str
    keys: Mapping[str, bytes]

    @staticmethod
    def read(path: str) -> "KeyRing":
        """Reads the file that CODEC_KEYS_FILE names."""
        with open(path, encoding="utf-8") as file:
            ring = json.load(file)
        keys = {name: base64.b64decode(key, validate=True) for name, key in ring["keys"].items()}
        if ring["active"] not in keys or any(len(key) != 32 for key in keys.values()):
            raise ValueError(f"{path}: no active key, or a key that is not 32 bytes")
        return KeyRing(ring["active"], keys)


def seal(ring: KeyRing, namespace: str, plain: bytes) -> Tuple[str, bytes]:
    """Returns the id of the key, and nonce, ciphertext and tag joined."""
    nonce = os.urandom(NONCE_BYTES)
    sealed = AESGCM(ring.keys[ring.active]).encrypt(nonce, plain, namespace.encode())
    return ring.active, nonce + sealed


def open_sealed(ring: KeyRing, namespace: str, key_id: str, data: bytes) -> bytes:
    """Returns the serialised Payload. Raises SealError if the ring lacks the key, or if the data were altered or moved."""
    key = ring.keys.get(key_id)
    if key is None:
        raise SealError(f"no key {key_id!r} in the key ring")
    try:
        return AESGCM(key).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], namespace.encode())
    except (InvalidTag, ValueError) as error:
        raise SealError(f"does not open with key {key_id!r}: altered, or of another namespace") from error

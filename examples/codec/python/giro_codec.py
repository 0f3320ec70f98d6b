"""Giro's payload codec for Temporal's Python SDK.

    ring = KeyRing.read(os.environ["CODEC_KEYS_FILE"])
    client = await Client.connect(address, namespace=namespace, data_converter=data_converter(ring, namespace))
"""

import dataclasses
from typing import List, Sequence

from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes, PayloadCodec

from seal import KeyRing, open_sealed, seal

ENCRYPTED = b"binary/encrypted"


class GiroCodec(PayloadCodec):
    def __init__(self, ring: KeyRing, namespace: str) -> None:
        self.ring = ring
        self.namespace = namespace

    async def encode(self, payloads: Sequence[Payload]) -> List[Payload]:
        return [self._encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> List[Payload]:
        return [self._decrypt(payload) for payload in payloads]

    def _encrypt(self, payload: Payload) -> Payload:
        key_id, data = seal(self.ring, self.namespace, payload.SerializeToString())
        return Payload(metadata={"encoding": ENCRYPTED, "encryption-key-id": key_id.encode()}, data=data)

    def _decrypt(self, payload: Payload) -> Payload:
        # Payloads in clear pass: a caller without keys may have started the workflow.
        if payload.metadata.get("encoding") != ENCRYPTED:
            return payload
        key_id = payload.metadata.get("encryption-key-id", b"").decode("utf-8", "replace")
        return Payload.FromString(open_sealed(self.ring, self.namespace, key_id, payload.data))


def data_converter(ring: KeyRing, namespace: str) -> DataConverter:
    """Also encrypts messages and stacks of failures."""
    return dataclasses.replace(
        DataConverter.default,
        payload_codec=GiroCodec(ring, namespace),
        failure_converter_class=DefaultFailureConverterWithEncodedAttributes,
    )

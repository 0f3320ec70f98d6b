"""The fingerprint of an order, which is the same for every spelling of the order (docs/orders.md)."""

import hashlib
import json
import re
from decimal import Decimal


def order_sha256(order: dict) -> str:
    body = order["body"]
    normal = {
        "originId": order["originId"],
        "from": _party(order["from"]),
        "to": _party(order["to"]),
        "body": {
            "currencyId": body["currencyId"],
            "amount": f"{Decimal(str(body['amount'])):.2f}",
            "description": body.get("description", ""),
            "concept": body["concept"],
        },
    }
    text = json.dumps(normal, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _party(party: dict) -> dict:
    owner = party["owner"]
    return {
        "addressType": party["addressType"],
        "address": _digits(party["address"]),
        "owner": {"personIdType": owner["personIdType"], "personId": _digits(owner["personId"])},
    }


def _digits(text: str) -> str:
    return re.sub("[ -]", "", text)

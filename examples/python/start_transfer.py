"""Starts a transfer and waits for its result: python start_transfer.py ORDER.json

Temporal's address, namespace and task queue come from TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and GIRO_TASK_QUEUE.
"""

import asyncio
import json
import os
import sys

from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError

from order_sha256 import order_sha256


async def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        # Amounts stay text in the order: a float would not keep every centavo.
        order = json.load(file)
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    workflow_id = f"transfer-{order['originId']}"
    try:
        # These two policies make a repeated start the same transfer; no time-outs, no retry policy.
        handle = await client.start_workflow(
            "transfer",
            order,
            id=workflow_id,
            task_queue=os.environ.get("GIRO_TASK_QUEUE", "giro"),
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
    except WorkflowAlreadyStartedError:
        # The transfer has already ended: its result is available.
        handle = client.get_workflow_handle(workflow_id)
    try:
        result = await handle.result()
    except WorkflowFailureError as failure:
        if not isinstance(failure.cause, ApplicationError):
            raise
        # InvalidTransferOrder or OriginIdConflict: nothing was sent.
        print(f"{failure.cause.type}: {failure.cause.message}", file=sys.stderr)
        return 2
    # Temporal returns an existing run even if its order differs: only the fingerprint shows whose result this is.
    if result["orderSha256"] != order_sha256(order):
        print(f"OriginIdConflict: originId {order['originId']} belongs to another order", file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0 if result["status"] == "COMPLETED" else 3


if __name__ == "__main__":
    code = asyncio.run(main(sys.argv[1]))
    sys.stdout.flush()
    # Not sys.exit: threads of the SDK can abort an interpreter that is shutting down (seen with 1.29 and 1.35).
    os._exit(code)

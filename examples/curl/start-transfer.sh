#!/bin/sh
# Starts a transfer and waits for its result, by the Temporal server's HTTP API: start-transfer.sh ORDER.json
# TEMPORAL_HTTP is the API's address (`temporal server start-dev --http-port 7243`; frontend.httpPort of a cluster).
set -eu
api="${TEMPORAL_HTTP:-http://127.0.0.1:7243}/api/v1/namespaces/${TEMPORAL_NAMESPACE:-default}"
origin_id=$(sed -n 's/.*"originId": *\([0-9]*\).*/\1/p' "$1")
workflow="$api/workflows/transfer-$origin_id"

# 409: it has ended before. Its result is there all the same.
status=$(
  printf '{"workflowType":{"name":"transfer"},"taskQueue":{"name":"%s"},"input":[%s],
    "workflowIdReusePolicy":"WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY",
    "workflowIdConflictPolicy":"WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING"}' \
    "${GIRO_TASK_QUEUE:-giro}" "$(cat "$1")" |
    curl --silent --show-error --output /dev/null --write-out '%{http_code}' \
      --header 'content-type: application/json' --data-binary @- "$workflow"
)
case $status in 200 | 409) ;; *) echo "not started: HTTP $status" >&2 && exit 4 ;; esac

# Answers when the run ends; a long one has to be asked again when the server ends the request.
curl --silent --show-error --fail --max-time 3600 --get "$workflow/history" \
  --data waitNewEvent=true --data historyEventFilterType=HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT

#!/bin/sh
# Starts a transfer and waits for its result, by the Temporal server's HTTP API: start-transfer.sh ORDER.json
# TEMPORAL_HTTP is the API's address (`temporal server start-dev --http-port 7243`; frontend.httpPort of a cluster).
# Needs curl, jq and openssl. Exit codes: 0 COMPLETED, 2 refused or another order's originId, 3 ended otherwise,
# 4 not started or not answered.
set -eu
api="${TEMPORAL_HTTP:-http://127.0.0.1:7243}/api/v1/namespaces/${TEMPORAL_NAMESPACE:-default}"
sha256=$("$(dirname "$0")/order-sha256.sh" "$1")
origin_id=$(jq .originId "$1")
workflow="$api/workflows/transfer-$origin_id"

# 409: the transfer has already ended. Its result is available too.
status=$(
  printf '{"workflowType":{"name":"transfer"},"taskQueue":{"name":"%s"},"input":[%s],
    "workflowIdReusePolicy":"WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY",
    "workflowIdConflictPolicy":"WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING"}' \
    "${GIRO_TASK_QUEUE:-giro}" "$(cat "$1")" |
    curl --silent --show-error --output /dev/null --write-out '%{http_code}' \
      --header 'content-type: application/json' --data-binary @- "$workflow"
) || exit 4
case $status in 200 | 409) ;; *) echo "not started: HTTP $status" >&2 && exit 4 ;; esac

# The server answers when the run ends. For a long run it ends the request earlier: then repeat the request.
last=$(
  curl --silent --show-error --fail --max-time 3600 --get "$workflow/history" \
    --data waitNewEvent=true --data historyEventFilterType=HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT |
    jq --exit-status '.history.events[-1]'
) || exit 4

# InvalidTransferOrder or OriginIdConflict: nothing was sent.
refused=$(printf %s "$last" | jq --raw-output '.workflowExecutionFailedEventAttributes.failure // empty |
  "\(.applicationFailureInfo.type): \(.message)"')
if [ -n "$refused" ]; then echo "$refused" >&2 && exit 2; fi

result=$(printf %s "$last" | jq --compact-output '.workflowExecutionCompletedEventAttributes.result[0]')
# Temporal returns an existing run even if its order differs: only the fingerprint shows whose result this is.
if [ "$(printf %s "$result" | jq --raw-output .orderSha256)" != "$sha256" ]; then
  echo "OriginIdConflict: originId $origin_id belongs to another order (or its result is encrypted)" >&2 && exit 2
fi
printf '%s\n' "$result"
[ "$(printf %s "$result" | jq --raw-output .status)" = COMPLETED ] || exit 3

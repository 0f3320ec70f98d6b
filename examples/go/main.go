// Starts a transfer and waits for its result: go run . ORDER.json
//
// Temporal's address, namespace and task queue come from TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and GIRO_TASK_QUEUE.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

func main() {
	code, err := run(context.Background(), os.Args[1])
	if err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

func run(ctx context.Context, path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 1, err
	}
	// The order is sent as raw bytes, so that Go cannot round its numbers.
	order := json.RawMessage(text)
	var read transferOrder
	if err := json.Unmarshal(order, &read); err != nil {
		return 2, err
	}
	sha256, err := read.sha256()
	if err != nil {
		return 2, err
	}
	c, err := client.Dial(client.Options{
		HostPort:  env("TEMPORAL_ADDRESS", "localhost:7233"),
		Namespace: env("TEMPORAL_NAMESPACE", "default"),
	})
	if err != nil {
		return 4, err
	}
	defer c.Close()

	// These two policies make a repeated start the same transfer; no time-outs, no retry policy. If the transfer has
	// already ended, Go's client returns its handle, not an error.
	handle, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       fmt.Sprintf("transfer-%d", read.OriginID),
		TaskQueue:                env("GIRO_TASK_QUEUE", "giro"),
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, "transfer", order)
	if err != nil {
		return 4, err
	}
	var result map[string]any
	if err := handle.Get(ctx, &result); err != nil {
		var refused *temporal.ApplicationError
		if errors.As(err, &refused) {
			// InvalidTransferOrder or OriginIdConflict: nothing was sent.
			fmt.Fprintf(os.Stderr, "%s: %s\n", refused.Type(), refused.Message())
			return 2, nil
		}
		return 1, err
	}
	// Temporal returns an existing run even if its order differs: only the fingerprint shows whose result this is.
	if result["orderSha256"] != sha256 {
		fmt.Fprintf(os.Stderr, "OriginIdConflict: originId %d belongs to another order\n", read.OriginID)
		return 2, nil
	}
	out, err := json.Marshal(result)
	if err != nil {
		return 1, err
	}
	fmt.Println(string(out))
	if result["status"] != "COMPLETED" {
		return 3, nil
	}
	return 0, nil
}

func env(name, otherwise string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return otherwise
}

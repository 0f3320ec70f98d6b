package girocodec

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/temporal"

	"example.com/giro/codec/seal"
)

type vectors struct {
	Ring     seal.KeyRing
	Payloads []struct {
		Name, Namespace, KeyID string
		Data                   []byte
		Value                  any
	}
}

func published(t *testing.T) vectors {
	text, err := os.ReadFile("../../../test/codec/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReadsWhatGiroWrote(t *testing.T) {
	all := published(t)
	for _, vector := range all.Payloads {
		payload := &commonpb.Payload{
			Metadata: map[string][]byte{"encoding": []byte(encrypted), "encryption-key-id": []byte(vector.KeyID)},
			Data:     vector.Data,
		}
		var value any
		if err := DataConverter(&all.Ring, vector.Namespace).FromPayload(payload, &value); err != nil {
			t.Fatalf("%s: %v", vector.Name, err)
		}
		if !reflect.DeepEqual(value, vector.Value) {
			t.Errorf("%s: %v is not %v", vector.Name, value, vector.Value)
		}
		if err := DataConverter(&all.Ring, "elsewhere").FromPayload(payload, &value); err == nil {
			t.Errorf("%s opens in another namespace", vector.Name)
		}
	}
}

// Writes a sealed payload to the file GIRO_SEALED_TO; a test of Giro opens it.
func TestWritesForGiro(t *testing.T) {
	ring := published(t).Ring
	payload, err := DataConverter(&ring, "default").ToPayload(map[string]string{"from": "Go"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(payload.String(), "Go") {
		t.Error("it is not encrypted")
	}
	failure := FailureConverter(&ring, "default").ErrorToFailure(temporal.NewApplicationError("a secret", "T"))
	if strings.Contains(failure.String(), "a secret") {
		t.Error("the message of a failure is not encrypted")
	}
	path := os.Getenv("GIRO_SEALED_TO")
	if path == "" {
		return
	}
	text, err := json.Marshal(map[string]any{
		"keyId": string(payload.Metadata["encryption-key-id"]), "data": payload.Data,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

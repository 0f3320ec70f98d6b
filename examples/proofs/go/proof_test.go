package proof

import (
	"encoding/json"
	"os"
	"testing"
)

type vectors struct {
	Keys []struct{ Kid, D string }
	Set  struct {
		Keys []struct{ Kid, X string }
	}
	Proofs []struct{ Name, Kid, Text, Proof string }
	Bad    []struct{ Name, Text, Proof string }
}

// Uses the vectors of docs/signatures.md.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("../../../test/order-proofs/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var given vectors
	if err := json.Unmarshal(raw, &given); err != nil {
		t.Fatal(err)
	}
	keys, seeds := map[string][]byte{}, map[string][]byte{}
	for _, key := range given.Set.Keys {
		keys[key.Kid], _ = encoding.DecodeString(key.X)
	}
	for _, key := range given.Keys {
		seeds[key.Kid], _ = encoding.DecodeString(key.D)
	}
	if len(given.Proofs) == 0 || len(given.Bad) == 0 {
		t.Fatal("no vectors")
	}
	for _, good := range given.Proofs {
		if err := Check(good.Text, good.Proof, keys); err != nil {
			t.Errorf("%s: %v", good.Name, err)
		}
		if made, err := Sign(good.Text, good.Kid, seeds[good.Kid]); err != nil || made != good.Proof {
			t.Errorf("%s: %s, %v", good.Name, made, err)
		}
	}
	for _, bad := range given.Bad {
		if Check(bad.Text, bad.Proof, keys) == nil {
			t.Errorf("%s is taken", bad.Name)
		}
	}
}

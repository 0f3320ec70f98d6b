package seal

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

type vectors struct {
	Ring     KeyRing
	Payloads []struct {
		Name, Namespace, KeyID string
		Data                   []byte
		Value                  json.RawMessage
	}
}

func published(t *testing.T) vectors {
	text, err := os.ReadFile("../../../../test/codec/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Payloads) == 0 {
		t.Fatal("no vectors")
	}
	return all
}

func TestOpensWhatGiroSealed(t *testing.T) {
	all := published(t)
	for _, vector := range all.Payloads {
		plain, err := all.Ring.Open(vector.Namespace, vector.KeyID, vector.Data)
		if err != nil {
			t.Fatalf("%s: %v", vector.Name, err)
		}
		var want bytes.Buffer
		if err := json.Compact(&want, vector.Value); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(plain, want.Bytes()) {
			t.Errorf("%s: %q is not in %q", vector.Name, want.String(), plain)
		}
		if _, err := all.Ring.Open(vector.Namespace+"x", vector.KeyID, vector.Data); err == nil {
			t.Errorf("%s opens in another namespace", vector.Name)
		}
	}
}

func TestOpensWhatItSeals(t *testing.T) {
	ring := published(t).Ring
	keyID, data, err := ring.Seal("default", []byte("a payload"))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := ring.Open("default", keyID, data); err != nil || string(plain) != "a payload" {
		t.Errorf("%q, %v", plain, err)
	}
	data[len(data)-1] ^= 1
	if _, err := ring.Open("default", keyID, data); err == nil {
		t.Error("altered data opens")
	}
}

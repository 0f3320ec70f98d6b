// Package proof makes and checks the proof of an order: a detached JWS (RFC 7515 appendix F, EdDSA) over its canonical
// text, which ../../go/fingerprint.go hashes. See docs/signatures.md.
package proof

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
}

var encoding = base64.RawURLEncoding

// Sign returns the proof of a canonical text. seed: member d of the private JWK, decoded.
func Sign(text, kid string, seed []byte) (string, error) {
	head, err := json.Marshal(header{"EdDSA", kid})
	if err != nil {
		return "", err
	}
	protected := encoding.EncodeToString(head)
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(seed), signed(protected, text))
	return protected + ".." + encoding.EncodeToString(signature), nil
}

// Check returns what is wrong with a proof of exactly this text; nil: valid. keys: member x of each public JWK,
// decoded, by kid. It does not check the key's limits.
func Check(text, proof string, keys map[string][]byte) error {
	protected, rest, ok := strings.Cut(proof, "..")
	if !ok {
		return fmt.Errorf("not a detached JWS")
	}
	raw, err := encoding.DecodeString(protected)
	if err != nil {
		return err
	}
	var head header
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&head); err != nil {
		return err
	}
	key, known := keys[head.Kid]
	if head.Alg != "EdDSA" || !known {
		return fmt.Errorf("another algorithm than EdDSA, or no key %q", head.Kid)
	}
	signature, err := encoding.DecodeString(rest)
	if err != nil {
		return err
	}
	if !ed25519.Verify(key, signed(protected, text), signature) {
		return fmt.Errorf("not a signature of this text")
	}
	return nil
}

func signed(protected, text string) []byte {
	return []byte(protected + "." + encoding.EncodeToString([]byte(text)))
}

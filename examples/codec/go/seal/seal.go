// Package seal seals and opens payloads as Giro does: AES-256-GCM under a key ring (docs/encryption.md).
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

const nonceBytes = 12

// KeyRing holds keys by id: the active key seals, every key opens.
type KeyRing struct {
	Active string            `json:"active"`
	Keys   map[string][]byte `json:"keys"` // base64 in the file
}

// ReadKeyRing reads the file that CODEC_KEYS_FILE names.
func ReadKeyRing(path string) (*KeyRing, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var ring KeyRing
	if err := json.Unmarshal(text, &ring); err != nil {
		return nil, fmt.Errorf("%s is no key ring", path) // The decoder's message could repeat a key.
	}
	if _, ok := ring.Keys[ring.Active]; !ok {
		return nil, fmt.Errorf("%s has no active key", path)
	}
	for id, key := range ring.Keys {
		if len(key) != 32 {
			return nil, fmt.Errorf("%s: key %q is not 32 bytes", path, id)
		}
	}
	return &ring, nil
}

// Seal returns the id of the key, and nonce, ciphertext and tag joined.
func (ring *KeyRing) Seal(namespace string, plain []byte) (keyID string, data []byte, err error) {
	aead, err := ring.aead(ring.Active)
	if err != nil {
		return "", nil, err
	}
	nonce := make([]byte, nonceBytes)
	if _, err := rand.Read(nonce); err != nil {
		return "", nil, err
	}
	return ring.Active, aead.Seal(nonce, nonce, plain, []byte(namespace)), nil
}

// Open returns the serialised Payload. It fails if the ring lacks the key, or if the data were altered or moved.
func (ring *KeyRing) Open(namespace, keyID string, data []byte) ([]byte, error) {
	aead, err := ring.aead(keyID)
	if err != nil {
		return nil, err
	}
	if len(data) < nonceBytes+aead.Overhead() {
		return nil, errors.New("too short to be sealed")
	}
	plain, err := aead.Open(nil, data[:nonceBytes], data[nonceBytes:], []byte(namespace))
	if err != nil {
		return nil, fmt.Errorf("does not open with key %q: altered, or of another namespace", keyID)
	}
	return plain, nil
}

func (ring *KeyRing) aead(keyID string) (cipher.AEAD, error) {
	key, ok := ring.Keys[keyID]
	if !ok {
		return nil, fmt.Errorf("no key %q in the key ring", keyID)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

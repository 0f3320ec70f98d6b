// Package girocodec is Giro's payload codec for Temporal's Go SDK:
//
//	ring, err := seal.ReadKeyRing(os.Getenv("CODEC_KEYS_FILE"))
//	c, err := client.Dial(client.Options{
//		Namespace:        namespace,
//		DataConverter:    girocodec.DataConverter(ring, namespace),
//		FailureConverter: girocodec.FailureConverter(ring, namespace),
//	})
package girocodec

import (
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"

	"example.com/giro/codec/seal"
)

const encrypted = "binary/encrypted"

type codec struct {
	ring      *seal.KeyRing
	namespace string
}

// DataConverter encrypts everything that the default converter writes.
func DataConverter(ring *seal.KeyRing, namespace string) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec{ring, namespace})
}

// FailureConverter also encrypts messages and stacks of failures.
func FailureConverter(ring *seal.KeyRing, namespace string) converter.FailureConverter {
	return temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter:          DataConverter(ring, namespace),
		EncodeCommonAttributes: true,
	})
}

func (c codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	result := make([]*commonpb.Payload, len(payloads))
	for i, payload := range payloads {
		plain, err := proto.Marshal(payload)
		if err != nil {
			return payloads, err
		}
		keyID, data, err := c.ring.Seal(c.namespace, plain)
		if err != nil {
			return payloads, err
		}
		result[i] = &commonpb.Payload{
			Metadata: map[string][]byte{"encoding": []byte(encrypted), "encryption-key-id": []byte(keyID)},
			Data:     data,
		}
	}
	return result, nil
}

func (c codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	result := make([]*commonpb.Payload, len(payloads))
	for i, payload := range payloads {
		// Payloads in clear pass: a caller without keys may have started the workflow.
		if string(payload.GetMetadata()["encoding"]) != encrypted {
			result[i] = payload
			continue
		}
		plain, err := c.ring.Open(c.namespace, string(payload.Metadata["encryption-key-id"]), payload.Data)
		if err != nil {
			return payloads, err
		}
		result[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, result[i]); err != nil {
			return payloads, err
		}
	}
	return result, nil
}

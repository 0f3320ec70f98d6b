package main

import (
	"encoding/json"
	"testing"
)

// Spellings of one order, with the fingerprint from docs/orders.md; then an order with other letters.
func TestFingerprint(t *testing.T) {
	const head = `{"originId": 4711,
		"from": {"addressType": "CBU_CVU", "address": "00090016 00000000000017",
			"owner": {"personIdType": "CUI", "personId": "30-71497973-2"}},
		"to": {"addressType": "CBU_CVU", "address": "9990001800000000000017",
			"owner": {"personIdType": "CUI", "personId": "20218346414"}},
		"body": {"currencyId": "032", "concept": "FAC", `
	const readme = "8d7fe234b9fff9bc60f56cb702ea2d496409ac083349ac5ed2740e009ef093e6"
	for rest, expected := range map[string]string{
		`"amount": "1500.25", "description": "Factura 17"}}`:            readme,
		`"amount": 1500.25, "description": "Factura 17"}}`:              readme,
		`"amount": "7", "description": "Señal \"5\" \\ <b> 💶 \u2028"}}`: "db54b83ff39cf448ed7a1bf8d2b212a71fa410b980a1969f2d9955acfd368642",
	} {
		var order transferOrder
		if err := json.Unmarshal([]byte(head+rest), &order); err != nil {
			t.Fatal(err)
		}
		if got, err := order.sha256(); err != nil || got != expected {
			t.Errorf("%s: %s, %v", rest, got, err)
		}
	}
}

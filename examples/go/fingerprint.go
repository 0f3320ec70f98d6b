package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// The fields of an order that its fingerprint covers.
type transferOrder struct {
	OriginID int64 `json:"originId"`
	From     party `json:"from"`
	To       party `json:"to"`
	Body     struct {
		CurrencyID  string      `json:"currencyId"`
		Amount      json.Number `json:"amount"`
		Description string      `json:"description"`
		Concept     string      `json:"concept"`
	} `json:"body"`
}

type party struct {
	AddressType string `json:"addressType"`
	Address     string `json:"address"`
	Owner       struct {
		PersonIDType string `json:"personIdType"`
		PersonID     string `json:"personId"`
	} `json:"owner"`
}

// The fingerprint of an order, which is the same for every spelling of the order (docs/orders.md).
func (order transferOrder) sha256() (string, error) {
	amount, ok := new(big.Rat).SetString(order.Body.Amount.String())
	if !ok {
		return "", fmt.Errorf("body.amount is not a number")
	}
	body := order.Body
	text := fmt.Sprintf(`{"originId":%d,"from":%s,"to":%s,"body":{"currencyId":%s,"amount":%s,"description":%s,"concept":%s}}`,
		order.OriginID, order.From.text(), order.To.text(), quoted(body.CurrencyID), quoted(amount.FloatString(2)),
		quoted(body.Description), quoted(body.Concept))
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

func (p party) text() string {
	return fmt.Sprintf(`{"addressType":%s,"address":%s,"owner":{"personIdType":%s,"personId":%s}}`,
		quoted(p.AddressType), quoted(digits(p.Address)), quoted(p.Owner.PersonIDType), quoted(digits(p.Owner.PersonID)))
}

var digits = strings.NewReplacer(" ", "", "-", "").Replace

// Not json.Marshal, which escapes more than JSON asks for. Giro refuses control characters.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

#!/bin/sh
# Prints the fingerprint of an order, which is the same for every spelling of the order (docs/orders.md).
# order-sha256.sh ORDER.json
set -eu
# The exact text that is hashed: keys in this order, digits only, two decimals.
text=$(
  jq --compact-output '
    def digits: gsub("[ -]"; "");
    def party: {addressType, address: (.address | digits),
      owner: (.owner | {personIdType, personId: (.personId | digits)})};
    def amount: tostring | split(".") | .[0] + "." + ((.[1] // "") + "00")[0:2];
    {originId, from: (.from | party), to: (.to | party),
      body: (.body | {currencyId, amount: (.amount | amount), description: (.description // ""), concept})}' "$1"
)
printf %s "$text" | openssl dgst -sha256 -r | cut -d ' ' -f 1

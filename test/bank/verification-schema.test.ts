import fc from 'fast-check';
import { parseBankTime } from '../../src/bank/apibank/verifications/lenient-fields';
import { parseJson } from '../../src/bank/http/json';
import { ourBank } from '../../src/bank/our-bank';

const { readVerification } = ourBank.verifications;

/** With the quirks of the reference: integers for tax numbers, `State`, `rol`, zoneless dates, nulls, an extra field. */
const WHOLE = `{
  "requestId": "7f3c-1", "requestedDate": "2026-03-01T23:30:00", "status": " En revisión ",
  "statusDate": "2026-03-02T00:15:30.1234567", "url": "https://bank.example/webview", "somethingNew": {"a": [1]},
  "requesterPerson": {"taxNumber": 30714979732, "legalReason": "Señal S.A.", "type": "Jurídica"},
  "requestedPerson": {
    "taxNumber": 30707101020, "legalReason": "Inexistente S.R.L.", "type": "Jurídica", "nationality": null,
    "birthDate": "2004-07-01T00:00:00", "legalIdType": "CUIT", "legalIdNumber": null, "phone": "1", "email": null,
    "additionalData": [{"cuitStatus": "ACTIVO", "arrears": 1250.50, "bcraSituation": 1, "financialScore": "no",
      "rejectedChecks": [{"amount": 98000.00, "checkNumber": 12345678901234567890, "paymentDate": null,
        "penaltyFeeDate": "2025-03-04", "rejectionDate": "2025-03-01"}]}],
    "owners": [{"taxNumber": 27361705039, "ownershipPercentage": 60.5, "legalReason": "Nadie", "type": "Humana",
      "documentData": {"State": "CABA", "isDead": false, "addressStreetDoor": 123, "dateOfTransaction": 1767571200000}}],
    "controllers": {"taxNumber": "20218346414", "rol": "Presidente", "documentData": null}
  },
  "account": null
}`;

function read(text: string) {
  const json = parseJson(text);
  return json.ok ? readVerification(json.value) : null;
}

test('the whole answer, exactly', () => {
  const verification = read(WHOLE);
  expect(verification).toMatchObject({
    requestId: '7f3c-1',
    status: ' En revisión ',
    requestedDate: { raw: '2026-03-01T23:30:00', at: '2026-03-02T02:30:00.000Z' },
    statusDate: { raw: '2026-03-02T00:15:30.1234567', at: '2026-03-02T03:15:30.123Z' },
    ...{ account: null, url: 'https://bank.example/webview' },
    requesterPerson: { taxNumber: '30714979732', legalReason: 'Señal S.A.', type: 'Jurídica' },
    requestedPerson: {
      ...{
        taxNumber: '30707101020',
        nationality: null,
        birthDate: '2004-07-01',
        legalIdNumber: null,
        email: null,
      },
      additionalData: [
        {
          ...{ cuitStatus: 'ACTIVO', arrears: '1250.50', bcraSituation: 1, financialScore: null },
          rejectedChecks: [
            {
              amount: '98000.00',
              checkNumber: '12345678901234567890',
              paymentDate: null,
              rejectionDate: '2025-03-01',
            },
          ],
        },
      ],
      owners: [
        {
          ...{ taxNumber: '27361705039', ownershipPercentage: '60.5' },
          documentData: {
            state: 'CABA',
            isDead: false,
            addressStreetDoor: '123',
            dateOfTransaction: '1767571200000',
          },
        },
      ],
      controllers: [{ taxNumber: '20218346414', rol: 'Presidente', documentData: null, additionalData: [] }],
    },
  });
  expect(verification?.requestedPerson?.owners[0]?.documentData).not.toHaveProperty('State');
});

test.each(['{"status":"A"}', '{"status":"A","requestId":null,"statusDate":null}'])(
  '%s is enough to be read',
  (text) => {
    expect(read(text)).toMatchObject({
      status: 'A',
      requestId: null,
      statusDate: null,
      account: null,
      url: null,
    });
  },
);

test('an odd field does not affect others: whatever its value, status and requestId are read', () => {
  const other = fc.jsonValue();
  fc.assert(
    fc.property(other, other, other, other, (person, date, account, list) => {
      const verification = read(
        JSON.stringify({
          ...{ requestId: 'r-1', status: 'Pendiente', requestedDate: date, statusDate: date, account },
          ...{
            requesterPerson: person,
            requestedPerson: { owners: list, controllers: person, additionalData: list },
          },
        }),
      );
      expect(verification).toMatchObject({ requestId: 'r-1', status: 'Pendiente' });
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['2026-03-01T12:00:00', '2026-03-01T15:00:00.000Z'],
  ['2026-03-01T23:59:59.9999999', '2026-03-02T02:59:59.999Z'],
  ['2026-03-01 12:00', '2026-03-01T15:00:00.000Z'],
  ['2026-03-01', '2026-03-01T03:00:00.000Z'],
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01T12:00:00.5+0200', '2026-03-01T10:00:00.500Z'],
  ['2026-02-30T12:00:00', null],
  ['2026-13-01', null],
  ['2026-03-01T25:00:00', null],
  ['01/03/2026', null],
  ['0001-01-01T00:00:00', '0001-01-01T03:00:00.000Z'],
  ['0001-01-01T00:00:00+05:00', null],
  ['0000-12-31T12:00:00', null],
  ['9999-12-31T20:59:59.9999999', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.9999999', null],
  ['', null],
])('%j is %s: Buenos Aires time unless it says otherwise', (raw, at) => {
  expect(parseBankTime(raw)).toBe(at);
});

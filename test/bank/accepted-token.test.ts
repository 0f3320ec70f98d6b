import { callWithToken } from '../../src/bank/credentials/authorized-call';
import { parseBaseUrl } from '../../src/bank/http/base-url';
import type { HttpOutcome } from '../../src/bank/http/http-outcome';

const answered = (status: number): HttpOutcome => ({
  kind: 'response',
  head: { status, contentType: null, contentEncoding: null, retryAfter: null },
  body: new Uint8Array(),
});
const LOST: HttpOutcome = { kind: 'failed', failure: 'CONNECTION_LOST', maybeWritten: true, head: null };

/** The tokens that were reported as accepted, after a call with these answers. */
async function acceptedAfter(...outcomes: readonly HttpOutcome[]): Promise<readonly string[]> {
  const left = [...outcomes];
  const told: string[] = [];
  await callWithToken(
    {
      transport: {
        send: () => Promise.resolve(left.shift() ?? LOST),
        close: () => Promise.resolve(),
      },
      baseUrl: parseBaseUrl('https://bank.example'),
      tokens: {
        token: () => Promise.resolve('first'),
        renew: () => Promise.resolve('second'),
        accepted: (token) => told.push(token),
      },
      authStyle: 'raw',
      signer: null,
    },
    { method: 'POST', path: '/', query: '', headers: {}, body: null, timeoutMs: 5_000 },
  );
  return told;
}

test('a request that may no longer leave when its token is there is not sent, and neither is its repetition', async () => {
  const sentUnder = async (leaveWithinMs: () => number) => {
    const sent: (string | number | undefined)[] = [];
    const end = await callWithToken(
      {
        ...{ baseUrl: parseBaseUrl('https://bank.example'), authStyle: 'raw', signer: null },
        transport: {
          send: ({ headers, timeoutMs }) => (
            sent.push(headers['Authorization'], timeoutMs),
            Promise.resolve(answered(401))
          ),
          close: () => Promise.resolve(),
        },
        tokens: { token: () => Promise.resolve('first'), renew: () => Promise.resolve('second') },
      },
      {
        ...{ method: 'POST', path: '/', query: '', headers: {}, body: null },
        timeoutMs: 5_000,
        leaveWithinMs,
      },
    );
    return { sent, end };
  };
  expect(await sentUnder(() => 0)).toMatchObject({
    sent: [],
    end: { kind: 'not-called', error: { code: 'TOO_LATE' } },
  });
  let asked = 0;
  const once = await sentUnder(() => ((asked += 1) === 1 ? 1_000 : -1));
  expect(once).toMatchObject({ sent: ['first', 1_000], end: { kind: 'called', repeated: false } });
  expect((await sentUnder(() => 70)).sent).toEqual(['first', 70, 'second', 70]);
});

test.each([200, 404, 409, 422])('%i: the bank has taken the token', async (status) => {
  expect(await acceptedAfter(answered(status))).toEqual(['first']);
  expect(await acceptedAfter(answered(401), answered(status))).toEqual(['second']);
});

test.each([302, 403, 429, 500, 503])('%i says nothing about the token', async (status) => {
  expect(await acceptedAfter(answered(status))).toEqual([]);
});

test('a refusal and a lost answer are no acceptance', async () => {
  expect(await acceptedAfter(answered(401), answered(401))).toEqual([]);
  expect(await acceptedAfter(LOST)).toEqual([]);
});

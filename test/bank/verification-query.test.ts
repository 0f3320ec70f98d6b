import type { ServerResponse } from 'node:http';
import type { BankClientOptions } from '../../src/bank/http-bank-client';
import type { RequestSigner } from '../../src/bank/credentials/authorized-call';
import type { VerificationReply } from '../../src/bank/verifications/verification-port';
import { makeAuthority, makeServerCertificate } from './certificates';
import { CANARIES, TOKEN, bankClient } from './fixtures';
import { httpsServer, serve } from './local-server';
import type { Arrived, LocalServer } from './local-server';

/** The verification query over HTTPS: what leaves, and what each whole answer means. */

let caPem: string;
let server: LocalServer;
let arrived: Arrived[] = [];
let answer: (response: ServerResponse) => void = (response) => response.end();

beforeAll(async () => {
  const ca = await makeAuthority('test authority');
  caPem = ca.cert;
  const bank = await makeServerCertificate(ca, 'loopback');
  server = await serve(
    httpsServer(bank, (request, response) => {
      arrived.push(request);
      answer(response);
    }),
  );
});
afterAll(() => server.close());
beforeEach(() => {
  arrived = [];
});

const signer: RequestSigner = () => {
  throw new Error('the verification query is not signed');
};

async function ask(
  requestId: string,
  options: Partial<BankClientOptions> = {},
  workflowTime: string | null = null,
): Promise<VerificationReply> {
  const client = bankClient({ baseUrl: `${server.baseUrl}/base`, caPem, signer, ...options });
  try {
    return await client.getVerification(requestId, { workflowTime });
  } finally {
    await client.close();
  }
}

const answering = (status: number, body: string | Buffer, headers: Record<string, string> = {}) => {
  answer = (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
  };
};
const GOOD = '{"requestId":"r-1","status":"Pendiente"}';

describe('what leaves', () => {
  beforeEach(() => {
    answering(200, GOOD);
  });

  it('GET with the id in the query, encoded; no body, no signature, the token as it is', async () => {
    await ask('a/b?c=d&e#f%20+g');
    expect(arrived).toHaveLength(1);
    const [{ method, url, headers, body } = arrived[0]!] = arrived;
    expect([method, body.length]).toEqual(['GET', 0]);
    expect(url).toBe(
      '/base/external/kyc-kyb/api-get-identity-verification-request?requestId=a%2Fb%3Fc%3Dd%26e%23f%2520%2Bg',
    );
    expect(headers).toMatchObject({ authorization: TOKEN });
    expect(headers['x-giro-time']).toBeUndefined();
  });

  it('POST and Bearer by configuration; the workflow time in a sandbox', async () => {
    const verifications = { method: 'POST', authStyle: 'bearer' } as const;
    await ask('r-1', { verifications, sendWorkflowTime: true }, '2026-01-02T03:04:05.000Z');
    expect(arrived[0]).toMatchObject({ method: 'POST' });
    expect(arrived[0]?.url).toMatch(/\?requestId=r-1$/);
    expect(arrived[0]?.body).toHaveLength(0);
    expect(arrived[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'x-giro-time': '2026-01-02T03:04:05.000Z',
    });
  });
});

describe('what came of it', () => {
  it.each([
    ['200 and a readable one', 200, GOOD, 'verification Pendiente'],
    ['404', 404, '{"code":"NOT_FOUND"}', 'not-found'],
    ['401', 401, '{}', 'no-answer UNAUTHORIZED'],
    ['403', 403, '{}', 'no-answer UNAUTHORIZED'],
    ['405, the other method', 405, '{}', 'no-answer HTTP_STATUS'],
    ['429', 429, '{}', 'no-answer RATE_LIMITED'],
    ['503', 503, '{}', 'no-answer HTTP_STATUS'],
    ['an approval with status 500', 500, '{"requestId":"r-1","status":"Aprobado"}', 'no-answer HTTP_STATUS'],
    ['no JSON', 200, '<html>CANARY</html>', 'no-answer UNREADABLE'],
    ['half a body', 200, '{"requestId":"r-1","status":"Aprob', 'no-answer UNREADABLE'],
    ['the same key twice', 200, '{"status":"Aprobado","status":"Rechazado"}', 'no-answer UNREADABLE'],
    ['an array', 200, `[${GOOD}]`, 'no-answer NOT_A_VERIFICATION'],
    ['no status', 200, '{"requestId":"r-1"}', 'no-answer NOT_A_VERIFICATION'],
    ['a blank status', 200, '{"requestId":"r-1","status":" "}', 'no-answer NOT_A_VERIFICATION'],
    ['a status that is no text', 200, '{"requestId":"r-1","status":1}', 'no-answer NOT_A_VERIFICATION'],
    [
      'a requestId of a wrong type',
      200,
      '{"requestId":["r-1"],"status":"A"}',
      'no-answer NOT_A_VERIFICATION',
    ],
    ['a status without end', 200, `{"status":"${'A'.repeat(201)}"}`, 'no-answer NOT_A_VERIFICATION'],
  ])('%s', async (_, status, body, expected) => {
    answering(status, body);
    const reply = await ask('r-1');
    expect(told(reply)).toBe(expected);
    if (reply.kind !== 'verification') {
      for (const canary of CANARIES) expect(JSON.stringify(reply)).not.toContain(canary);
    }
    // A 401 renews nothing here (a static token), and a redirect is not followed.
    expect(arrived.length).toBeLessThanOrEqual(2);
  });

  it('a redirect is not followed', async () => {
    answering(302, GOOD, { Location: '/elsewhere' });
    expect(told(await ask('r-1'))).toBe('no-answer REDIRECT');
    expect(arrived).toHaveLength(1);
  });

  it('Retry-After comes along with an answer, a not-found and an error', async () => {
    for (const status of [200, 404, 503]) {
      answering(status, GOOD, { 'Retry-After': '120' });
      const reply = await ask('r-1');
      expect(reply.kind === 'no-answer' ? reply.error.retryAfterMs : reply.retryAfterMs).toBe(120_000);
    }
  });

  it('a closed connection and a time-out are no answers', async () => {
    answer = (response) => response.destroy();
    expect(told(await ask('r-1'))).toBe('no-answer CONNECTION_LOST');
    answer = () => undefined;
    expect(told(await ask('r-1', { timeoutMs: 200 }))).toBe('no-answer TIMEOUT');
  });
});

function told(reply: VerificationReply): string {
  switch (reply.kind) {
    case 'verification':
      return `verification ${reply.verification.status}`;
    case 'not-found':
      return 'not-found';
    case 'no-answer':
      return `no-answer ${reply.error.code}`;
  }
}

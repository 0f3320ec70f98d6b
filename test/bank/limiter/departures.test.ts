import http from 'node:http';
import { busiestSecond } from '../../../bench/samples';
import { createBankLimiter } from '../../../src/bank/limiter/limiter';
import { bankClient, IN_NO_WORKFLOW, TOKEN } from '../fixtures';
import { serve } from '../local-server';
import { releaseAfterEach } from '../release';

const held = releaseAfterEach();

/** What a bank saw: the arrivals of requests that a limiter let through, over real sockets. */
test('a starting worker fetches its token first: requests that waited for it do not leave together with later ones', async () => {
  const LIMIT = 8;
  const arrivals: number[] = [];
  const bank = held(
    await serve(
      http.createServer((request, response) => {
        arrivals.push(performance.now());
        request.resume();
        response.writeHead(404, { 'Content-Type': 'application/json' }).end('{}');
      }),
    ),
  );
  const limiter = createBankLimiter({ maxRps: LIMIT, pollActiveMs: 5_000 });
  let token = Promise.resolve(TOKEN);
  const client = held(
    bankClient({
      baseUrl: bank.baseUrl.replace('https:', 'http:'),
      tokens: { token: () => token, renew: () => Promise.resolve(TOKEN) },
    }),
  );

  // So that the code of the first call is compiled.
  await client.getMovement({ originId: '1' }, IN_NO_WORKFLOW);
  arrivals.length = 0;
  token = new Promise((resolve) => setTimeout(() => resolve(TOKEN), 1_500));

  const ask = async (originId: string): Promise<void> => {
    for (let returning = false; ; returning = true) {
      const admission = await limiter.admit('lookup', { returning });
      if (admission.kind === 'admitted') {
        await client.getMovement({ originId }, { ...IN_NO_WORKFLOW, permit: admission.permit });
        admission.permit.made('good');
        admission.permit.release();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, admission.afterMs));
    }
  };
  await Promise.all(Array.from({ length: 3 * LIMIT }, (_, i) => ask(String(i + 1))));
  expect(arrivals).toHaveLength(3 * LIMIT);
  // Counted from their admission, two and a half times the limit would come within one second. On a busy machine some
  // come late, together with later ones; departures to the millisecond are in sliding-second.test.ts.
  expect(busiestSecond(arrivals)).toBeLessThanOrEqual(2 * LIMIT);
});

import http from 'node:http';
import { createBankGate } from '../../../src/bank/gate/gate';
import { bankClient, IN_NO_WORKFLOW, TOKEN } from '../fixtures';
import { serve } from '../local-server';
import { releaseAfterEach } from '../release';

const held = releaseAfterEach();

/** What a bank saw: the arrivals of requests that a limiter let through, over real sockets. */
test('a worker that starts fetches its token first: what waited for it does not leave beside what comes next', async () => {
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
  const limiter = createBankGate({ maxRps: LIMIT, pollActiveMs: 5_000 });
  const token = new Promise<string>((resolve) => setTimeout(() => resolve(TOKEN), 600));
  const client = held(
    bankClient({
      baseUrl: bank.baseUrl.replace('https:', 'http:'),
      tokens: { token: () => token, renew: () => Promise.resolve(TOKEN) },
    }),
  );

  const ask = async (originId: string): Promise<void> => {
    for (let returning = false; ; returning = true) {
      const entry = await limiter.enter('lookup', { returning });
      if (entry.kind === 'go') {
        await client.getMovement({ originId }, IN_NO_WORKFLOW);
        entry.pass.made('good');
        entry.pass.close();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, entry.afterMs));
    }
  };
  await Promise.all(Array.from({ length: 2 * LIMIT }, (_, i) => ask(String(i + 1))));
  expect(arrivals).toHaveLength(2 * LIMIT);
  const busiest = Math.max(
    ...arrivals.map((start) => arrivals.filter((t) => t >= start && t < start + 1_000).length),
  );
  expect(busiest).toBeLessThanOrEqual(LIMIT);
});

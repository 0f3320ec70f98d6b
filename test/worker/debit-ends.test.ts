import { createLogger } from '../../src/telemetry/logger';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { tellDebitEnds } from '../../src/worker/hinting';

const debit = (originId: number) => ({
  ...{ deliveryKey: `d-${originId}`, movementType: 'DEBIT_X', receivedAt: '2026-01-05T10:00:00.000Z' },
  ...{ originIds: [originId], movementIds: [], networkIds: [] },
});

test('a debit that the bank confirms is a line of the log; a hundred that somebody made up are counted', async () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line: string) => lines.push(line) } });
  const { webhooks, registry } = createMetrics();
  const tell = tellDebitEnds(logger, webhooks);
  for (let i = 1; i <= 100; i += 1) tell('unknown', debit(i));
  tell('confirmed', debit(101));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', originIds: [101], msg: 'the bank confirms a debit that nobody ordered' },
  ]);
  expect(await registry.metrics()).toContain('giro_unordered_debits_total{outcome="unknown"} 100');
});

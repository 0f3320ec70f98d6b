import { startDispatcher } from '../../src/webhooks/dispatcher';
import type { DispatcherOptions } from '../../src/webhooks/dispatcher';
import { countNotifications } from '../../src/webhooks/observer';
import { createMetrics } from '../../src/telemetry/metrics/metrics';

/** The gauges of the backlog after one round of a dispatcher with this inbox. */
async function gaugesAfter(inbox: Partial<DispatcherOptions['inbox']>): Promise<readonly string[]> {
  const { registry, webhooks } = createMetrics();
  webhooks.waiting.set(3);
  webhooks.oldestSeconds.set(400);
  const dispatcher = startDispatcher({
    // Only what a round with nothing to do needs.
    inbox: {
      leaseNotifications: () => Promise.resolve([]),
      inboxBacklog: () => Promise.resolve({ waiting: 7, oldestMs: 900_000 }),
      forgetNotifications: () => Promise.resolve(0),
      ...inbox,
    },
    observer: countNotifications(webhooks),
    keepMs: 86_400_000,
    onFailed: () => undefined,
  } as unknown as DispatcherOptions);
  // Ends after the first round.
  await dispatcher.stop();
  return (await registry.metrics())
    .split('\n')
    .filter((line) => /^giro_webhook_(?:waiting|oldest_waiting_seconds) /.test(line));
}

const fails = () => Promise.reject(new Error('no'));

test('the backlog is counted although no batch succeeds', async () => {
  const counted = ['giro_webhook_waiting 7', 'giro_webhook_oldest_waiting_seconds 900'];
  expect(await gaugesAfter({})).toEqual(counted);
  expect(await gaugesAfter({ leaseNotifications: fails })).toEqual(counted);
  expect(await gaugesAfter({ forgetNotifications: fails })).toEqual(counted);
});

test('a backlog that cannot be counted is absent, not out of date', async () => {
  expect(await gaugesAfter({ inboxBacklog: fails })).toEqual([]);
});

import { generate } from 'selfsigned';
import type { TlsMaterial } from '../../src/bank/credentials/tls-material';
import type { Logger } from '../../src/telemetry/logger';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { watchCertificates } from '../../src/context/watch-certificates';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Whole seconds, as certificates have. */
const END_MS = Date.parse('2030-03-31T12:00:00Z');

let certPem: string;
let renewedPem: string;
beforeAll(async () => {
  const until = async (endMs: number) =>
    (
      await generate([{ name: 'commonName', value: 'x' }], {
        ...{ keyType: 'ec', algorithm: 'sha256' },
        ...{ notBeforeDate: new Date(END_MS - 400 * DAY_MS), notAfterDate: new Date(endMs) },
      })
    ).cert;
  [certPem, renewedPem] = await Promise.all([until(END_MS), until(END_MS + 365 * DAY_MS)]);
});
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const material = (client: string | null, caPem: string | null = null): TlsMaterial => ({
  caPem,
  client: client === null ? null : { certPem: client, keyPem: '', passphrase: null },
});

/** The watch, and `daysLeft level` of each line it wrote. */
function watch(first: TlsMaterial) {
  let current = first;
  const lines: string[] = [];
  const line =
    (level: string) =>
    ({ variable, daysLeft }: Record<string, unknown>) =>
      lines.push(`${String(variable)} ${String(daysLeft)} ${level}`);
  const metrics = createMetrics();
  const watching = watchCertificates({
    tls: () => current,
    logger: { warn: line('warn'), error: line('error') } as unknown as Logger,
    metrics: metrics.bank,
  });
  return {
    lines,
    change: (to: TlsMaterial) => (current = to),
    gauge: async () =>
      (await metrics.bank.certificateExpiry.get()).values.map(
        ({ labels, value }) => `${String(labels.certificate)} ${new Date(value * 1_000).toISOString()}`,
      ),
    close: () => watching.close(),
  };
}

test('nothing is logged until 30 days before, then once a day; errors on the last day and after the end', () => {
  jest.setSystemTime(END_MS - 33 * DAY_MS - MINUTE_MS / 2);
  const { lines, close } = watch(material(certPem));
  jest.advanceTimersByTime(3 * DAY_MS);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(31 * DAY_MS + MINUTE_MS);
  const days = Array.from({ length: 30 }, (_, i) => 29 - i);
  const daily = days.map((left) => `BANK_CLIENT_CERT_FILE ${left} ${left < 1 ? 'error' : 'warn'}`);
  expect(lines).toEqual([...daily, 'BANK_CLIENT_CERT_FILE 0 error', 'BANK_CLIENT_CERT_FILE 0 error']);
  close();
  jest.advanceTimersByTime(5 * DAY_MS);
  expect(lines).toHaveLength(32);
});

test('7 days and 1 day are logged when they are reached, not with the next daily line', () => {
  jest.setSystemTime(END_MS - 7.5 * DAY_MS);
  const { lines, close } = watch(material(certPem));
  jest.advanceTimersByTime(0.5 * DAY_MS + MINUTE_MS);
  expect(lines).toEqual(['BANK_CLIENT_CERT_FILE 7 warn', 'BANK_CLIENT_CERT_FILE 7 warn']);
  jest.advanceTimersByTime(6 * DAY_MS);
  expect(lines.at(-1)).toBe('BANK_CLIENT_CERT_FILE 1 error');
  close();
});

test('a renewed certificate ends the lines and moves the gauge; of a bundle of authorities the last one counts', async () => {
  jest.setSystemTime(END_MS - 2 * DAY_MS);
  const { lines, change, gauge, close } = watch(material(certPem, `${certPem}\n${renewedPem}`));
  expect(await gauge()).toEqual(['client 2030-03-31T12:00:00.000Z', 'authority 2031-03-31T12:00:00.000Z']);
  expect(lines).toEqual(['BANK_CLIENT_CERT_FILE 2 warn']);
  change(material(renewedPem));
  jest.advanceTimersByTime(5 * DAY_MS);
  expect(lines).toHaveLength(1);
  expect(await gauge()).toEqual(['client 2031-03-31T12:00:00.000Z']);
  close();
});

test('of our own chain the certificate that expires first counts, wherever it is', async () => {
  jest.setSystemTime(END_MS - 2 * DAY_MS);
  const { lines, gauge, close } = watch(material(`${renewedPem}\n${certPem}`));
  expect(await gauge()).toEqual(['client 2030-03-31T12:00:00.000Z']);
  expect(lines).toEqual(['BANK_CLIENT_CERT_FILE 2 warn']);
  close();
});

test('without certificates of ours there is nothing to watch', async () => {
  const { lines, gauge, close } = watch(material(null));
  jest.advanceTimersByTime(DAY_MS);
  expect([lines, await gauge()]).toEqual([[], []]);
  close();
});

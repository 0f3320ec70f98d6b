import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../dev/package-root';
import type { RequestOutcome } from '../../src/activities/numbered-request';
import type { ReceivedTransfer } from '../../src/activities/receive-transfer';
import type { Timed } from '../../src/activities/timed';
import type { CreateAnswer } from '../../src/domain/transfer/answers';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf } from './environment';

/** The answers of the stubs: the order is new, the bank took it and reports DELAYED. */
const RECEIVED: Timed<ReceivedTransfer> = {
  atMs: 0,
  seen: { engineMs: 0, events: 0, hints: 0, decisions: 0, isCancelled: false },
  kind: 'open',
  orderSha256: 'b'.repeat(64),
  amountValue: '1500.25',
  settings: DEFAULT_TRANSFER_SETTINGS,
  facts: null,
  journalId: '',
};
const CREATED: RequestOutcome<CreateAnswer> = {
  kind: 'answer',
  answer: {
    kind: 'answered',
    movement: {
      status: 'DELAYED',
      movementId: '9007199254740993',
      network: 'COELSA',
      networkId: 'PZHU022GLOXXZLZ4BQXODE',
      postingAt: '2026-03-01T12:00:00.000Z',
      completedAt: null,
      echo: 'match',
      echoFields: [],
      evidenceSha256: 'a'.repeat(64),
    },
  },
  settings: DEFAULT_TRANSFER_SETTINGS,
  inFlightMs: 0,
  claimAgeMs: 20,
};

/** The first 20 warm the code up and are not counted. */
const TRANSFERS = 220;
const HEAP_MAX_BYTES = 110_000;

/** The SDK's core writes warnings of a busy machine before it. */
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

describe('a cached workflow', () => {
  it('holds at most 110 KB of heap (200 transfers that wait in DELAYED)', async () => {
    const { temporalAddress, workflowBundlePath } = testServers();
    const input = {
      address: temporalAddress,
      bundlePath: workflowBundlePath,
      taskQueue: `giro-heap-${randomUUID()}`,
      orders: Array.from({ length: TRANSFERS }, () => orderOf(nextOriginId(), 'any')),
      received: RECEIVED,
      created: CREATED,
    };
    const { NODE_OPTIONS: _, ...env } = process.env;
    const probe = join(packageRoot, 'test', 'support', 'heap-probe.cjs');
    const running = promisify(execFile)(process.execPath, ['--expose-gc', probe], { env, timeout: 570_000 });
    running.child.stdin?.end(JSON.stringify(input));
    const { stdout } = await running;
    const { cached, bytesPerWorkflow } = JSON.parse(lastLine(stdout)) as {
      cached: number;
      bytesPerWorkflow: number;
    };
    expect(cached).toBe(200);
    expect(bytesPerWorkflow).toBeGreaterThan(1_000);
    expect(bytesPerWorkflow).toBeLessThanOrEqual(HEAP_MAX_BYTES);
  });
});

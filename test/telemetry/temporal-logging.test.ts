import { LogTimestamp } from '@temporalio/worker';
import { createLogger } from '../../src/telemetry/logger';
import { temporalLogger, temporalRuntimeOptions } from '../../src/telemetry/temporal-logging';

function capture(level: 'trace' | 'debug' | 'info' | 'warn' | 'fatal') {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test('lines of the engine keep their level, message and metadata', () => {
  const { logger, records } = capture('trace');
  const engine = temporalLogger(logger);
  engine.trace('one');
  engine.debug('two');
  engine.info('three', {
    workflowId: 'transfer-30714979732',
    runId: 'r',
    sdkComponent: 'worker',
    taskQueue: 'giro',
  });
  engine.warn('four');
  engine.error('five', { error: new Error('boom') });
  engine.log('INFO', 'six', { [LogTimestamp]: 1_700_000_000_123_456_789n, target: 'temporalio_sdk_core' });
  expect(records().map(({ level, msg }) => [level, msg])).toEqual([
    ['trace', 'one'],
    ['debug', 'two'],
    ['info', 'three'],
    ['warn', 'four'],
    ['error', 'five'],
    ['info', 'six'],
  ]);
  expect(records()[2]).toMatchObject({
    workflowId: 'transfer-30714979732',
    runId: 'r',
    sdkComponent: 'worker',
    taskQueue: 'giro',
  });
  expect(records()[4]).toMatchObject({ error: { type: 'Error', message: 'boom' } });
  expect(records()[5]).toMatchObject({ loggedAt: '2023-11-14T22:13:20.123Z', target: 'temporalio_sdk_core' });
});

test('lines of the engine are redacted', () => {
  const { logger, lines } = capture('trace');
  temporalLogger(logger).error('failed for 9990001800000000000017', {
    error: new Error('Bearer canary'),
    body: 'canary',
  });
  expect(lines.join('')).not.toMatch(/canary|9990001800000000000017/);
});

test('a step that could not reach the journal is no warning: the outage is logged as a whole', () => {
  const { logger, records } = capture('debug');
  const unavailable = Object.assign(new Error('PostgreSQL is away'), { name: 'JournalUnavailable' });
  const engine = temporalLogger(logger);
  engine.warn('Activity failed', { error: unavailable });
  engine.warn('Activity failed', { error: new Error('boom') });
  engine.warn('Workflow failed', { error: unavailable });
  expect(records().map(({ level }) => level)).toEqual(['debug', 'warn', 'warn']);
});

test('a line below the level is not written', () => {
  const { logger, lines } = capture('warn');
  temporalLogger(logger).info('no');
  temporalLogger(logger).log('WARN', 'yes');
  expect(lines).toHaveLength(1);
});

test.each([
  ['trace', { core: 'TRACE', other: 'WARN' }],
  ['info', { core: 'INFO', other: 'WARN' }],
  ['warn', { core: 'WARN', other: 'WARN' }],
  ['fatal', { core: 'WARN', other: 'ERROR' }],
] as const)('at %s the core is filtered at the source by %j, and forwarded', (level, filter) => {
  const options = temporalRuntimeOptions(capture(level).logger, {
    shutdownSignals: [],
    telemetryOptions: { metrics: { prometheus: { bindAddress: '127.0.0.1:0' } } },
  });
  expect(options).toMatchObject({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter, forward: {} },
      metrics: { prometheus: { bindAddress: '127.0.0.1:0' } },
    },
  });
});

test.each([
  ['cannot apply a task', 'Error while updating workflow', 'Fatal("invalid state MarkerCommandCreated")', 1],
  ['finds that a cached run differs', 'Error while updating workflow', 'Nondeterminism("no command")', 1],
  ['gets a query during a step', 'Trying to send a new WFT for a run which already has one!', undefined, 0],
  ['fails a query', 'Failing legacy query request', 'Fatal("invalid state MarkerCommandCreated")', 0],
])('whether a run is stuck when the core %s', (_, message, error, times) => {
  const onStuckRun = jest.fn();
  // At a level at which the line itself is not written.
  const { logger, lines } = capture('fatal');
  temporalLogger(logger, { onStuckRun }).warn(message, { error });
  expect(onStuckRun).toHaveBeenCalledTimes(times);
  expect(lines).toEqual([]);
});

test('a query during a step costs the run its task, and the run may differ from its history', () => {
  const onLostTask = jest.fn();
  const { logger } = capture('fatal');
  const core = temporalLogger(logger, { onLostTask });
  core.warn('Error while updating workflow');
  expect(onLostTask).not.toHaveBeenCalled();
  core.error('Trying to send a new WFT for a run which already has one!');
  expect(onLostTask).toHaveBeenCalledTimes(1);
});

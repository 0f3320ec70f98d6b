import { PassThrough } from 'node:stream';
import { ServiceError } from '@temporalio/client';
import { EXIT } from '../../src/program/exit-codes';
import { runCommand, withContext } from '../../src/program/run';

const UNAVAILABLE = 14;

test('a server that is lost on the way has its own exit code, whatever the command has called', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = {
    ...{
      stdin: new PassThrough(),
      stdout,
      stderr,
      stderrIsTerminal: false,
      logDestination: new PassThrough(),
    },
    ...{ env: () => ({}), stop: new AbortController().signal },
  };
  const cause = Object.assign(new Error('14 UNAVAILABLE'), {
    ...{ code: UNAVAILABLE, details: 'No connection established', metadata: {} },
  });
  const code = await runCommand(io, () =>
    withContext(io, [], () => Promise.reject(new ServiceError('Failed to describe the schedule', { cause }))),
  );
  expect(code).toBe(EXIT.unreachable);
  expect(String(stderr.read())).toBe('giro: Temporal cannot be reached\n');
});

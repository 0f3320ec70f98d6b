import { ServerUnreachableError, VerificationStoppedError } from '../../src/client/errors';
import { EXIT } from '../../src/program/exit-codes';
import { trackAll, waitForOutcomes } from '../../src/commands/support/track-verifications';

const tracked = (requestId: string) => ({
  ...{ requestId, workflowId: `kyc-${requestId}`, runId: 'run', started: true },
});
const unreachable = () => Promise.reject(new ServerUnreachableError('the engine is away'));
const never = () => new Promise<never>(() => undefined);

test('when a server is lost meanwhile, that is reported, and the started ones are not waited for', async () => {
  const trackVerification = (requestId: string) =>
    requestId === 'r-1' ? Promise.resolve(tracked(requestId)) : unreachable();
  const ends = await waitForOutcomes(
    { waitForVerification: never },
    await trackAll({ trackVerification }, ['r-1', 'r-2', 'r-3']),
    null,
  );
  expect(ends).toMatchObject([
    { code: EXIT.done, report: { requestId: 'r-1', started: true } },
    { code: EXIT.unreachable, report: { started: null, error: { type: 'ServerUnreachableError' } } },
    { code: EXIT.unreachable, report: { started: null } },
  ]);
});

test('one that is not tracked any more is neither approved nor a surprise: 3', async () => {
  const waitForVerification = (requestId: string) => Promise.reject(new VerificationStoppedError(requestId));
  const ends = await waitForOutcomes(
    { waitForVerification },
    [{ report: tracked('r-1'), code: EXIT.done }],
    1_000,
  );
  expect(ends).toMatchObject([
    { code: EXIT.notCompleted, report: { result: null, error: { type: 'VerificationStoppedError' } } },
  ]);
});

import { types } from 'node:util';
import type { GiroClient } from '../../client/giro-client';
import type { TrackedVerification } from '../../client/verification-client';
import type { VerificationResult } from '../../domain/verification/state';
import { EXIT, highest, exitCodeOf } from '../../program/exit-codes';
import type { ExitCode } from '../../program/exit-codes';
import { inParallel } from '../../activities/in-parallel';

/** One verification in the output of `kyc track --json`. */
export interface TrackReport {
  readonly requestId: string;
  readonly workflowId: string | null;
  readonly runId: string | null;
  /** False: it was already tracked. Null: not known, or not tried. */
  readonly started: boolean | null;
  /** With `--wait`; null: no outcome in time. */
  readonly result?: VerificationResult | null;
  readonly error?: { readonly type: string; readonly message: string };
}

export interface TrackEnd {
  readonly report: TrackReport;
  readonly code: ExitCode;
}

const STARTS_AT_ONCE = 20;
/** Each wait is a long poll; the server allows some hundreds of them for each connection. */
const WAITS_AT_ONCE = 100;
/** After the deadline each verification is checked once more. */
const LAST_LOOK_MS = 1_000;

/** Starts tracking each verification, and stops after the first failure (a server is lost). */
export async function trackAll(
  giro: Pick<GiroClient, 'trackVerification'>,
  requestIds: readonly string[],
): Promise<TrackEnd[]> {
  const ends: TrackEnd[] = requestIds.map((requestId) =>
    failed(requestId, { name: 'NotTried', message: 'not tried: a server was lost before' }, EXIT.unreachable),
  );
  let lost = false;
  await inParallel(requestIds, STARTS_AT_ONCE, async (requestId, i) => {
    if (lost) return;
    try {
      ends[i] = { report: await giro.trackVerification(requestId), code: EXIT.done };
    } catch (error) {
      if (!types.isNativeError(error)) throw error;
      lost = true;
      ends[i] = failed(requestId, error, exitCodeOf(error));
    }
  });
  return ends;
}

/**
 * Waits for the outcomes. `timeoutMs` limits the total wait; null: as long as it takes. If tracking failed to start for
 * any verification, this function waits for none: the others may take months, and the failure must be reported at once.
 */
export async function waitForOutcomes(
  giro: Pick<GiroClient, 'waitForVerification'>,
  ends: readonly TrackEnd[],
  timeoutMs: number | null,
): Promise<TrackEnd[]> {
  if (ends.some(({ report }) => report.error !== undefined)) return [...ends];
  const deadline = timeoutMs === null ? null : Date.now() + timeoutMs;
  const waited = [...ends];
  await inParallel(ends, WAITS_AT_ONCE, async ({ report, code }, i) => {
    if (report.runId === null) return;
    const rest = deadline === null ? {} : { timeoutMs: Math.max(deadline - Date.now(), LAST_LOOK_MS) };
    waited[i] = await waitForOne(giro, report as TrackedVerification, rest, code);
  });
  return waited;
}

async function waitForOne(
  giro: Pick<GiroClient, 'waitForVerification'>,
  tracked: TrackedVerification,
  rest: { readonly timeoutMs?: number },
  code: ExitCode,
): Promise<TrackEnd> {
  try {
    const result = await giro.waitForVerification(tracked.requestId, { runId: tracked.runId, ...rest });
    return {
      report: { ...tracked, result },
      code: highest([code, result.outcome === 'approved' ? EXIT.done : EXIT.notCompleted]),
    };
  } catch (error) {
    if (!types.isNativeError(error)) throw error;
    const { name: type, message } = error;
    return { report: { ...tracked, result: null, error: { type, message } }, code: exitCodeOf(error) };
  }
}

const failed = (
  requestId: string,
  { name: type, message }: Pick<Error, 'name' | 'message'>,
  code: ExitCode,
): TrackEnd => ({
  report: { requestId, workflowId: null, runId: null, started: null, error: { type, message } },
  code,
});

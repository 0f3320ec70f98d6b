import { claimInquiry, inquire } from '../../activities/inquire';
import type { LookupReply, RawReply } from '../../bank/movements/port';
import type { Context } from '../../context';
import { CLAIM_ANSWER_MS } from '../../domain/transfer/cadence';
import type { ClaimedInquiry } from '../../journal/statements/inquiries';
import { InputError } from '../../program/exit-codes';
import type { CommandIo } from '../../program/io';
import { note } from './output';

type Asking = Context<'bank' | 'journal' | 'transferSettings'>;

const ASKED_BY = 'movement show';

/** Somebody else may ask first; then that answer counts. */
const ATTEMPTS_MAX = 5;

/**
 * Asks the bank about an ended transfer as soon as the last request about it allows, so it may wait some seconds. An
 * answer that contradicts the end is recorded as an incident and reported.
 */
export async function endedMovement(io: CommandIo, context: Asking, originId: number): Promise<LookupReply> {
  const { bank, journal, transferSettings: settings } = context;
  const inquiry = { originId, askedBy: ASKED_BY, asOf: null, lostAfter: null };
  const { judgement, incident, reply } = await patiently(io, context, () =>
    inquire({ bank, journal, settings }, inquiry),
  );
  if (incident !== null) {
    note(io, `giro: incident ${incident.id}, ${incident.fact}: ${incident.sentence}`);
  } else if (judgement?.kind === 'contradicts') {
    note(io, `giro: this contradicts how the transfer ended, as recorded before: ${judgement.fact}`);
  }
  return reply;
}

/** As `endedMovement`, in the network's own format. The answer is neither evaluated nor stored. */
export async function rawEndedMovement(io: CommandIo, context: Asking, originId: number): Promise<RawReply> {
  const { bank, journal, transferSettings: settings } = context;
  const inquiry = { originId, askedBy: `${ASKED_BY} raw`, asOf: null, lostAfter: null };
  await patiently(io, context, () => claimInquiry({ journal, settings }, inquiry));
  return bank.getRawMovement({ originId: String(originId) }, { workflowTime: null });
}

type NotAsked = Exclude<ClaimedInquiry, { readonly kind: 'claimed' }>;

async function patiently<Claimed extends { readonly kind: 'asked' | 'claimed' }>(
  io: CommandIo,
  { transferSettings: { pollActiveMs, lookupTimeoutMs } }: Asking,
  ask: () => Promise<Claimed | NotAsked>,
): Promise<Claimed> {
  for (let attempt = 1; ; attempt++) {
    const asked = await ask();
    if (isClaimed(asked)) return asked;
    if (asked.kind !== 'too-soon') throw new Error('a transfer with a result has ended');
    const { waitMs } = asked;
    // Only DELAYED and a Retry-After cause longer waits.
    if (waitMs > CLAIM_ANSWER_MS + lookupTimeoutMs + pollActiveMs || attempt === ATTEMPTS_MAX) {
      throw new InputError(
        `the bank may be asked about this transfer again in ${Math.ceil(waitMs / 1_000)} s; \`transfer show\` has the recorded answer`,
      );
    }
    if (attempt === 1)
      note(io, `giro: waits ${waitMs} ms, because the last request about this transfer was just made`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

const isClaimed = <Claimed extends { readonly kind: 'asked' | 'claimed' }>(
  asked: Claimed | NotAsked,
): asked is Claimed => asked.kind === 'asked' || asked.kind === 'claimed';

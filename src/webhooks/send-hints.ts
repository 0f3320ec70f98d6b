import type { HintGrant } from '../journal/statements/grant-hints';
import type { Journal } from '../journal/journal';
import type { HintEnd, HintSender, HintTarget } from './hint-sender';
import type { NotificationWork } from './understand';

/** At most one hint for each transfer in this time: hints cannot shorten the bank's shortest gap anyway. */
const HINT_GAP_MS = 5_000;
/** Hints are granted and sent in groups of this size, so that no hint is sent long after its grant. */
const SIGNALS_AT_A_TIME = 16;

/** The outcome for one target, for all notifications of the batch that name it. */
export interface TargetEnd {
  readonly end: HintEnd | 'too-soon';
  readonly grant: HintGrant;
}

export interface SentHints {
  /** By workflow id; without an entry: not tried. */
  readonly ends: ReadonlyMap<string, TargetEnd>;
  /** Number of hints that Temporal did not accept. */
  readonly failed: number;
  readonly engine: 'answered' | 'away' | 'not-asked';
}

export const NOTHING_SENT: SentHints = { ends: new Map(), failed: 0, engine: 'not-asked' };

export interface SendHintsOptions {
  readonly inbox: Pick<Journal, 'grantHints' | 'confirmHints'>;
  readonly sendHint: HintSender;
}

/** Sends one hint to each workflow that may get one. Stops after a group in which Temporal did not answer a hint. */
export async function sendHints(
  work: readonly NotificationWork[],
  { inbox, sendHint }: SendHintsOptions,
): Promise<SentHints> {
  const wanted = wantedHints(work);
  const ends = new Map<string, TargetEnd>();
  let engine: SentHints['engine'] = 'not-asked';
  for (let at = 0; at < wanted.length && engine !== 'away'; at += SIGNALS_AT_A_TIME) {
    const chunk = new Map(wanted.slice(at, at + SIGNALS_AT_A_TIME));
    const grants = await inbox.grantHints([...chunk.keys()], HINT_GAP_MS);
    const sent = await Promise.all(
      grants.map(async (grant): Promise<TargetEnd> => {
        const request = chunk.get(grant.workflowId);
        if (!grant.granted || request === undefined) return { end: 'too-soon', grant };
        return { end: await sendHint(request.target, request.eventId), grant };
      }),
    );
    for (const one of sent) ends.set(one.grant.workflowId, one);
    await inbox.confirmHints(
      sent.flatMap(({ end, grant: { workflowId, grantedAt } }) =>
        end === 'taken' && grantedAt !== null ? [{ workflowId, grantedAt }] : [],
      ),
    );
    if (sent.some(({ end }) => end === 'unreachable')) engine = 'away';
    else if (sent.some(({ end }) => end !== 'too-soon')) engine = 'answered';
  }
  const failed = [...ends.values()].filter(({ end }) => end === 'unreachable' || end === 'refused').length;
  return { ends, failed, engine };
}

/** The latest notification names the hint, which serves the earlier notifications too. */
function wantedHints(
  work: readonly NotificationWork[],
): [workflowId: string, hint: { readonly target: HintTarget; readonly eventId: string }][] {
  const wanted = new Map<string, { readonly target: HintTarget; readonly eventId: string }>();
  for (const { leased, subjects } of work) {
    for (const { targets } of subjects)
      for (const target of targets) wanted.set(target.workflowId, { target, eventId: leased.deliveryKey });
  }
  return [...wanted];
}

import type { Context } from '../../context';
import type { DifferingValue, PartyField } from '../../domain/echo';
import type { KeptDifference } from '../../journal/statements/differing-values';
import { InputError } from '../../program/exit-codes';
import { alignedTable } from './output';

/** Accounts and tax ids in which order and answer differ, as `transfer show` prints them. */
export interface ShownDifference {
  /** Number of the request with the answer, and when the answer was recorded. */
  readonly number: number;
  readonly at: string;
  readonly fields: readonly PartyField[];
  readonly shown: 'last-four' | 'whole' | 'nothing';
  /** Why nothing is shown; null: something is. */
  readonly why: string | null;
  /** Null: not a number; such text is shown in full or not at all. */
  readonly values: readonly {
    readonly field: PartyField;
    readonly ordered: string | null;
    readonly reported: readonly (string | null)[];
  }[];
}

/** Who sees the full values, and why: for the audit trail. */
export interface Reader {
  readonly operator: string;
  readonly reason: string;
}

const NOT_KEPT =
  'not kept: the answer was recorded without a key ring (CODEC_KEYS_FILE), or by an older version';

export const byLastFour = (kept: KeptDifference): ShownDifference =>
  shown(kept, 'last-four', ({ field, ordered, reported }) => ({
    ...{ field, ordered: lastFour(ordered), reported: reported.map(lastFour) },
  }));

const whole = (kept: KeptDifference): ShownDifference => shown(kept, 'whole', (value) => value);

function shown(
  { number, at, fields, content }: KeptDifference,
  how: 'last-four' | 'whole',
  show: (value: DifferingValue) => ShownDifference['values'][number],
): ShownDifference {
  if (content.kind !== 'opened') {
    const why = content.kind === 'not-kept' ? NOT_KEPT : content.error.message;
    return { number, at, fields, shown: 'nothing', why, values: [] };
  }
  return { number, at, fields, shown: how, why: null, values: content.values.map(show) };
}

/** In a shorter number, four digits would be half of the digits or more: nothing is shown, as for text. */
const NUMBER = /^[0-9]{9,}$/;

function lastFour(text: string): string | null {
  const digits = text.replace(/[\s.\-/]/g, '');
  return NUMBER.test(digits) ? digits.slice(-4) : null;
}

/**
 * The full values, for a person who gives a name and a reason. The access is first recorded in the audit trail: without
 * that record nothing is shown.
 *
 * @throws InputError nothing differs, or nothing was kept
 * @throws SealError this process lacks the key
 */
export async function reveal(
  { journal }: Context<'journal'>,
  originId: number,
  reader: Reader,
): Promise<ShownDifference> {
  const kept = await journal.differingValues(originId);
  if (kept === null) {
    throw new InputError(
      `nothing to reveal: no account or tax id differs in the bank's answer about transfer ${originId}`,
    );
  }
  const { number, fields, content } = kept;
  if (content.kind === 'not-kept') throw new InputError(`nothing to reveal: ${NOT_KEPT}`);
  if (content.kind === 'not-opened') throw content.error;
  await journal.recordAudit({
    ...{ action: 'transfer show', subject: String(originId), ...reader },
    details: { revealed: fields, number },
  });
  return whole(kept);
}

/** The bank's text, with control characters escaped. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '?');

export function differenceLines(originId: number, difference: ShownDifference | null): string[] {
  if (difference === null) return [];
  const { number, at, fields, values, why } = difference;
  if (why !== null) return ['', `${fields.join(', ')}: ${why}`];
  const isWhole = difference.shown === 'whole';
  const cell = (text: string | null): string =>
    text === null ? 'no number' : isWhole ? printable(text) : `…${text}`;
  return [
    '',
    ...alignedTable(
      ['DIFFERS', 'ORDERED', 'REPORTED'],
      values.map(({ field, ordered, reported }) => [field, cell(ordered), reported.map(cell).join(', ')]),
    ),
    `reported by request ${number}, at ${at}`,
    ...(isWhole
      ? []
      : [`last four digits; in full: giro transfer show ${originId} --reveal --operator NAME --reason TEXT`]),
  ];
}

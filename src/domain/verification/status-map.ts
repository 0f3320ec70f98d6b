/** The meanings of the bank's statuses. Only a mapped status has a meaning (contract, `KYC_STATUS_MAP`). */
export const MEANINGS = ['pending', 'approved', 'rejected'] as const;
export type Meaning = (typeof MEANINGS)[number];
export type VerificationOutcome = Exclude<Meaning, 'pending'>;

export interface MappedStatus {
  readonly status: string;
  readonly meaning: Meaning;
}

/** Meanings by folded status (`foldStatus`): two spellings of one status are one entry. */
export type StatusMap = ReadonlyMap<string, Meaning>;

/**
 * Accents above and below a letter, as languages write them. Other marks may change the meaning (a stroke through a
 * letter, a ring around it): they stay, and the status is not mapped.
 */
const ACCENTS = /[\u0300-\u0315\u0323-\u0331]/g;

/** Statuses are compared without case, accents and outer spaces; inner spaces count. */
export function foldStatus(status: string): string {
  // After decomposition an accent is a separate mark; folding case can produce further marks, so decompose again.
  return status.trim().normalize('NFD').toLowerCase().normalize('NFD').replace(ACCENTS, '');
}

export type StatusMapRead =
  | { readonly ok: true; readonly map: StatusMap }
  /** Two spellings of one status with two meanings: which one was meant is unknown. */
  | { readonly ok: false; readonly ambiguous: readonly [string, string] };

export function statusMap(entries: readonly MappedStatus[]): StatusMapRead {
  const map = new Map<string, Meaning>();
  const spelling = new Map<string, string>();
  for (const { status, meaning } of entries) {
    const folded = foldStatus(status);
    const known = map.get(folded);
    if (known !== undefined && known !== meaning) {
      return { ok: false, ambiguous: [spelling.get(folded) ?? folded, status] };
    }
    map.set(folded, meaning);
    spelling.set(folded, status);
  }
  return { ok: true, map };
}

/** Null: not mapped, so the status has no meaning and ends nothing. */
export function meaningOf(map: StatusMap, status: string): Meaning | null {
  return map.get(foldStatus(status)) ?? null;
}

export function isOutcome(meaning: Meaning | null): meaning is VerificationOutcome {
  return meaning === 'approved' || meaning === 'rejected';
}

const LETTERS_AND_SPACES = /^[\p{L} ]{1,40}$/u;

/** Accents do not count in a comparison, so a status of the map may have any number of them. */
const LENGTH_MAX = 100;

/**
 * The form in which a verification's status may be recorded (contract 4.4). A status in the map, or of at most 40
 * letters and spaces, is recorded as reported, without outer spaces. Any other could hold personal text, or be too long
 * for the journal and Temporal's index, and becomes `UNREADABLE` with a short hash.
 */
export function recordableKycStatus(
  status: string,
  map: StatusMap,
  shortHash: (text: string) => string,
): string {
  const text = status.trim().normalize('NFC');
  return LETTERS_AND_SPACES.test(text) || (text.length <= LENGTH_MAX && meaningOf(map, text) !== null)
    ? text
    : `UNREADABLE_${shortHash(status)}`;
}

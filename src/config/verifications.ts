import type { VerificationSettings } from '../domain/verification/state';
import { MEANINGS, foldStatus, statusMap } from '../domain/verification/status-map';
import type { StatusMap, MappedStatus } from '../domain/verification/status-map';
import { cadence } from './bank-address';
import { CODEC } from './codec';
import { duration, noted, oneOf, LIST_MAX_ENTRIES, accept, refuse } from './formats';
import type { Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

const WORD_MAX = 40;

/** `word=pending|approved|rejected`, comma-separated. Entries are named by their place. */
const statusMapText: Parser<StatusMap> = (text) => {
  const entries = text.split(',');
  if (entries.length > LIST_MAX_ENTRIES) return refuse(`has more than ${LIST_MAX_ENTRIES} entries`);
  const statuses: MappedStatus[] = [];
  const reasons: string[] = [];
  entries.forEach((entry, i) => {
    const read = readEntry(entry);
    if (typeof read === 'string') reasons.push(`entry ${i + 1} ${read}`);
    else statuses.push(read);
  });
  if (reasons.length > 0) return refuse(reasons.join(', '));
  const read = statusMap(statuses);
  if (read.ok) return accept(read.map);
  const [first, second] = read.ambiguous.map((word) => JSON.stringify(word));
  return refuse(`is ambiguous: ${first ?? ''} and ${second ?? ''} are one word with two meanings`);
};

function readEntry(entry: string): MappedStatus | string {
  const end = entry.lastIndexOf('=');
  if (end === -1) return 'has no meaning';
  const word = entry.slice(0, end).trim();
  const meaning = MEANINGS.find((candidate) => candidate === entry.slice(end + 1).trim());
  if (meaning === undefined) return `means none of ${MEANINGS.join(', ')}`;
  if (word.length > WORD_MAX) return `has a word of more than ${WORD_MAX} characters`;
  if (/\p{Cc}/u.test(word)) return 'has control characters';
  return foldStatus(word) === '' ? 'has no word' : { status: word, meaning };
}

export interface VerificationConfig {
  readonly settings: VerificationSettings;
  readonly statusMap: StatusMap;
  /** `KYC_STORE=encrypted`. */
  readonly keepsAnswers: boolean;
}

/** A shorter gap is probably a typing error (`1ms` for `1m`), and would flood the bank. */
const POLL_MIN_MS = 1_000;

export const VERIFICATIONS = variables('Verifications', {
  POLL_KYC: {
    ...cadence(POLL_MIN_MS),
    default: '1m',
    meaning: 'minimum gap between look-ups, and the gap after a change',
  },
  POLL_KYC_MAX: {
    ...cadence(POLL_MIN_MS),
    allowed: 'a duration of at least POLL_KYC',
    default: '15m',
    meaning: 'maximum gap: while nothing changes, the gap doubles up to this value',
  },
  ATTENTION_AFTER_KYC: {
    ...duration(),
    default: '7d',
    meaning: 'time in one status after which a verification is flagged; the verification continues',
  },
  KYC_STATUS_MAP: {
    parse: statusMapText,
    default: 'Pendiente=pending',
    allowed:
      'word=pending|approved|rejected, comma-separated; words of at most 40 characters, of which no two spellings ' +
      'differ only in case, accents or outer spaces and have different meanings',
    meaning: "what the bank's statuses mean; an unlisted status is flagged and ends nothing",
  },
  KYC_STORE: {
    ...noted(oneOf(['none', 'encrypted']), ', the latter with CODEC_KEYS_FILE'),
    default: 'none',
    meaning: "whether the bank's full answers, which are personal data, are kept in the journal",
  },
});

export function readVerifications(reader: SettingsReader): VerificationConfig {
  const { POLL_KYC, POLL_KYC_MAX, ATTENTION_AFTER_KYC, KYC_STATUS_MAP, KYC_STORE } = VERIFICATIONS;
  const settings = {
    pollMs: reader.read(POLL_KYC),
    pollMaxMs: reader.read(POLL_KYC_MAX),
    attentionAfterMs: reader.read(ATTENTION_AFTER_KYC),
  };
  // Only a POLL_KYC_MAX that is set can be too short: one may lengthen POLL_KYC alone.
  if (settings.pollMaxMs < settings.pollMs && reader.isSet(POLL_KYC_MAX))
    reader.problem(POLL_KYC_MAX, 'is shorter than POLL_KYC');
  const keepsAnswers = reader.read(KYC_STORE) === 'encrypted';
  if (keepsAnswers && !reader.isSet(CODEC.CODEC_KEYS_FILE))
    reader.problem(KYC_STORE, 'needs CODEC_KEYS_FILE, which is not set');
  return { settings, statusMap: reader.read(KYC_STATUS_MAP), keepsAnswers };
}

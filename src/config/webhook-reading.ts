import { accept, duration, jsonPointer, listOf, noted, refuse } from './formats';
import type { Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** What workers read of a stored notification, and how long it is kept. */
export interface WebhookReading {
  readonly idPointers: readonly IdPointerText[];
  readonly debitPointer: string | null;
  readonly debitTypes: readonly string[];
  readonly keepMs: number;
}

export interface IdPointerText {
  /** Null: the id may be of any kind. */
  readonly kind: (typeof ID_KINDS)[number] | null;
  /** RFC 6901. */
  readonly pointer: string;
}

const ID_KINDS = ['originId', 'movementId', 'networkId', 'requestId'] as const;
const HOUR_MS = 3_600_000;

const idPointer: Parser<IdPointerText> = (text) => {
  const [, word, pointer = text] = /^([A-Za-z]+)=(.*)$/s.exec(text) ?? [];
  const kind = ID_KINDS.find((candidate) => candidate === word) ?? null;
  if (word !== undefined && kind === null) return refuse('names no kind of id');
  const parsed = jsonPointer.parse(pointer);
  return parsed.ok ? accept({ kind, pointer: parsed.value }) : parsed;
};

const typeWord: Parser<string> = (text) =>
  /^[A-Za-z0-9_.-]{1,64}\*?$/.test(text)
    ? accept(text)
    : refuse('is not a word, with or without * at its end');

export const WEBHOOK_READING = variables('Webhooks', {
  WEBHOOK_ID_POINTERS: {
    parse: listOf(idPointer),
    allowed:
      'JSON pointers, comma-separated, each as it is or after originId=, movementId=, networkId=, requestId=',
    meaning: 'where a delivery carries ids, in addition to the fields that are found by their names',
  },
  WEBHOOK_DELIVERY_ID_POINTER: {
    ...noted(jsonPointer, ' such as /id'),
    meaning:
      'where a delivery carries its own id; none = repeats are recognised by a signed id or by their content',
  },
  WEBHOOK_DEBIT_POINTER: {
    ...noted(jsonPointer, ' such as /data/details/type'),
    meaning: 'where a delivery carries its movement type; none = any field whose name ends in type',
  },
  WEBHOOK_DEBIT_TYPES: {
    parse: listOf(typeWord),
    default: 'DEBIT_*',
    allowed: 'words, comma-separated; a word that ends in * matches every type with that beginning',
    meaning: 'movement types that are debits',
  },
  WEBHOOK_KEEP: {
    ...duration({ minMs: HOUR_MS }),
    default: '30d',
    meaning: 'time after which processed deliveries are deleted',
  },
});

export const readReading = (reader: SettingsReader): WebhookReading => ({
  idPointers: reader.read(WEBHOOK_READING.WEBHOOK_ID_POINTERS) ?? [],
  debitPointer: reader.read(WEBHOOK_READING.WEBHOOK_DEBIT_POINTER),
  debitTypes: reader.read(WEBHOOK_READING.WEBHOOK_DEBIT_TYPES),
  keepMs: reader.read(WEBHOOK_READING.WEBHOOK_KEEP),
});

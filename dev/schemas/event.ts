import { z } from 'zod';
import { CONTRADICTIONS } from '../../src/domain/post-final';
import type { Contradiction } from '../../src/domain/post-final';
import { DECISION_OUTCOMES } from '../../src/domain/transfer/decisions/decision';
import { TRANSFER_RESULT_STATUSES } from '../../src/domain/transfer/result';
import type { GiroEvent } from '../../src/journal/event-feed';
import { decimal, originId, sha256, statusWord, time } from './parts';
import { sameAs } from './same-as';
import { transferResult } from './transfer';

const common = {
  cursor: z.string().max(64).describe('names this event; pass it as --after to continue with the next event'),
  at: time,
  originId,
};
const text = z.string().nullable();
const facts = Object.keys(CONTRADICTIONS) as [Contradiction, ...Contradiction[]];
const kind = <Kind extends string>(word: Kind) => z.literal(word);

export const annulmentFields = {
  id: z.string(),
  movementId: text,
  network: text,
  networkId: text,
  amount: decimal,
  currency: z.string(),
  bankStatus: statusWord.nullable(),
  bankTimes: z.strictObject({ posting: text, completed: text }),
  evidenceSha256: sha256.nullable(),
  decidedBy: z.enum(['bank', 'operators']),
  operators: z.array(z.string()),
};

export const incidentFields = {
  id: z.string(),
  fact: z.enum(facts),
  sentence: z.string(),
  finalStatus: z.enum(TRANSFER_RESULT_STATUSES),
  bankStatus: statusWord.nullable(),
  movementId: text,
  networkId: text,
  evidenceSha256: sha256.nullable(),
};

export const event = sameAs<GiroEvent>()(
  z.discriminatedUnion('kind', [
    z.strictObject({ ...common, kind: kind('final'), result: transferResult }),
    z.strictObject({
      ...common,
      kind: kind('flags'),
      raised: z.array(z.string()),
      cleared: z.array(z.string()),
      open: z.array(z.string()),
    }),
    z.strictObject({
      ...common,
      kind: kind('annulment'),
      annulment: z.strictObject(annulmentFields),
    }),
    z.strictObject({
      ...common,
      kind: kind('decision'),
      decision: z.strictObject({
        id: z.string(),
        outcome: z.enum(DECISION_OUTCOMES),
        action: text,
        operator: text,
        operators: z.array(z.string()),
        bankStatus: statusWord.nullable(),
      }),
    }),
    z.strictObject({
      ...common,
      kind: kind('incident'),
      incident: z.strictObject(incidentFields),
    }),
    z.strictObject({
      ...common,
      kind: kind('incident-acknowledged'),
      incidentId: z.string(),
      operator: z.string(),
    }),
  ]),
).describe('an element of `events --json`, and of GiroClient.events');

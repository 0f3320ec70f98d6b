import { z } from 'zod';
import { echoSchema } from './echo';
import type { Echo } from './echo';
import { OK_STEP, stepList } from './fault-schema';
import type { Step } from './fault-schema';
import { stateList } from './field-schemas';
import { DEFAULT_STATUSES } from './rule';

/** Whether a rule matches this requestId. */
export type VerificationTest = (requestId: string) => boolean;

/** A rule with its defaults filled in: what the bank does with one requestId. */
export interface VerificationBehaviour {
  readonly statuses: readonly string[];
  readonly query: readonly Step[];
  readonly person: 'natural' | 'legal';
  readonly echo: readonly Echo[];
}

export const DEFAULT_VERIFICATION: VerificationBehaviour = {
  statuses: DEFAULT_STATUSES,
  query: [],
  person: 'legal',
  echo: [],
};

const text = z.string().min(1, 'must not be empty');

const requestId = z.union([text, z.strictObject({ prefix: text })], 'must be a text or {"prefix": text}');

const matchSchema = z
  .strictObject({ requestId: requestId.optional() })
  .transform((match): VerificationTest => {
    const wanted = match.requestId;
    if (wanted === undefined) return () => true;
    return typeof wanted === 'string' ? (id) => id === wanted : (id) => id.startsWith(wanted.prefix);
  });

export const verificationRuleSchema = z
  .strictObject({
    kind: z.literal('verification'),
    name: z.string().optional(),
    match: matchSchema.optional(),
    statuses: stateList.default([...DEFAULT_STATUSES]),
    query: stepList('query').default([OK_STEP]),
    person: z.enum(['natural', 'legal']).default('legal'),
    echo: z.array(echoSchema).default([]),
  })
  .transform(({ kind, match, name: _name, ...behaviour }) => ({
    kind,
    match: match ?? ((): boolean => true),
    behaviour,
  }));

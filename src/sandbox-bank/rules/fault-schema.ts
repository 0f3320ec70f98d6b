import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import type { MalformedName } from '../answers/malformed';
import { MALFORMED_NAMES } from '../answers/malformed';
import { count } from './field-schemas';

/** What happens to one request. `ok` includes `slow`, which is `ok` with a delay. */
export type Fault =
  | { readonly kind: 'ok' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'duplicate-error' }
  | {
      readonly kind: 'http';
      readonly httpStatus: number;
      readonly code: string | null;
      /** Undefined: a body of code and message. */
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'malformed'; readonly name: MalformedName }
  | { readonly kind: 'close' }
  | { readonly kind: 'hold'; readonly holdMs: number }
  | { readonly kind: 'reset' };

export interface Step {
  /** The rule's name of the step, for the books. */
  readonly word: string;
  readonly fault: Fault;
  /** Whether the bank executes the request. */
  readonly taken: boolean;
  readonly delayMs: number;
  /** Infinity: always. */
  readonly times: number;
}

export const OK_STEP: Step = { word: 'ok', fault: { kind: 'ok' }, taken: true, delayMs: 0, times: 1 };

const PLAIN_WORDS = ['ok', 'slow', 'lost-answer', 'timeout-before', 'reset'] as const;
const ONLY_CREATE = ['timeout-after', 'duplicate-error'] as const;
const ONLY_QUERY = ['not-found'] as const;
const MALFORMED_WORDS = MALFORMED_NAMES.map((name) => `malformed:${name}` as const);

/** Every word that a rule may name for a service, besides `http-<200…599>`; no other is accepted. */
export const FAULT_WORDS = {
  create: [...PLAIN_WORDS, ...ONLY_CREATE, ...MALFORMED_WORDS],
  query: [...PLAIN_WORDS, ...ONLY_QUERY, ...MALFORMED_WORDS],
} as const;

const HTTP_WORD = /^http-([2-5][0-9]{2})$/;
const WAIT_MAX_MS = 3_600_000;
const HOLD_DEFAULT_MS = 120_000;

/** The body decides them: another value would only break the answer. */
const BODY_HEADERS = ['content-length', 'transfer-encoding'];

/** Further headers; names in lower case, so that one replaces the bank's own header of that name. */
const headerFields = z.record(z.string(), z.string()).transform((headers, context) => {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of entries) {
    const message = headerProblem(name, value);
    if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
  }
  return Object.fromEntries(entries);
});

function headerProblem(name: string, value: string): string | null {
  if (BODY_HEADERS.includes(name)) return 'cannot be set: the body decides it';
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return null;
  } catch {
    return 'is not a header';
  }
}

const stepFields = z.strictObject({
  fault: z.string(),
  times: z
    .union([count(1, 1_000_000), z.literal('always')], 'must be a whole number from 1 or "always"')
    .optional(),
  taken: z.boolean().optional(),
  delayMs: count(0, WAIT_MAX_MS).optional(),
  holdMs: count(1, WAIT_MAX_MS).optional(),
  code: z.string().min(1).optional(),
  body: z.unknown().optional(),
  headers: headerFields.optional(),
});
type StepFields = z.output<typeof stepFields>;

const step = (service: 'create' | 'query') =>
  z
    .preprocess((input) => (typeof input === 'string' ? { fault: input } : input), stepFields)
    .transform((fields, context): Step => {
      const fault = readFault(fields, service);
      const problem = fault === null ? unknownWord(fields.fault, service) : problemOf(fields, fault, service);
      if (fault !== null && problem === null) {
        const times = fields.times === 'always' ? Infinity : (fields.times ?? 1);
        return { word: fields.fault, fault, taken: isTaken(fields), delayMs: fields.delayMs ?? 0, times };
      }
      context.addIssue({ code: 'custom', ...problem });
      return z.NEVER;
    });

/** The steps of one service; only the last may repeat for ever. */
export const stepList = (service: 'create' | 'query') =>
  z
    .array(step(service))
    .min(1, 'must name at least one step')
    .max(100)
    .superRefine((steps, context) => {
      for (const [i, { times }] of steps.slice(0, -1).entries()) {
        if (times === Infinity)
          context.addIssue({
            code: 'custom',
            path: [i, 'times'],
            message: '"always" belongs to the last step',
          });
      }
    });

function readFault(fields: StepFields, service: 'create' | 'query'): Fault | null {
  const { fault: word } = fields;
  const http = HTTP_WORD.exec(word);
  if (http !== null) {
    const { code, body, headers } = fields;
    return { kind: 'http', httpStatus: Number(http[1]), code: code ?? null, body, headers: headers ?? {} };
  }
  if (!FAULT_WORDS[service].some((known) => known === word)) return null;
  const malformed = MALFORMED_NAMES.find((name) => word === `malformed:${name}`);
  if (malformed !== undefined) return { kind: 'malformed', name: malformed };
  switch (word) {
    case 'ok':
    case 'slow':
      return { kind: 'ok' };
    case 'lost-answer':
      return { kind: 'close' };
    case 'reset':
      return { kind: 'reset' };
    case 'timeout-before':
    case 'timeout-after':
      return { kind: 'hold', holdMs: fields.holdMs ?? HOLD_DEFAULT_MS };
    case 'duplicate-error':
      return { kind: 'duplicate-error' };
    case 'not-found':
      return { kind: 'not-found' };
    default:
      return null;
  }
}

function isTaken({ fault: word, taken }: StepFields): boolean {
  if (word.startsWith('malformed:')) return taken ?? true;
  if (word.startsWith('http-') || word === 'duplicate-error') return taken ?? false;
  return word !== 'timeout-before' && word !== 'reset';
}

interface Problem {
  readonly path: string[];
  readonly message: string;
}

function problemOf(fields: StepFields, fault: Fault, service: 'create' | 'query'): Problem | null {
  const only = (path: keyof StepFields, words: string) => ({
    path: [path],
    message: `applies to ${words} only`,
  });
  const adjustable = fault.kind === 'http' || fault.kind === 'malformed' || fault.kind === 'duplicate-error';
  if (fields.taken !== undefined && !(service === 'create' && adjustable))
    return only('taken', 'http-*, duplicate-error and malformed:* of create');
  if (fields.holdMs !== undefined && fault.kind !== 'hold') return only('holdMs', 'timeout-*');
  if (fault.kind !== 'http') {
    for (const path of ['code', 'body', 'headers'] as const)
      if (fields[path] !== undefined) return only(path, 'http-*');
  }
  if (fields.fault === 'slow' && fields.delayMs === undefined)
    return { path: ['delayMs'], message: 'is required for slow' };
  return null;
}

function unknownWord(word: string, service: 'create' | 'query'): Problem {
  const words = [...PLAIN_WORDS, ...(service === 'create' ? ONLY_CREATE : ONLY_QUERY)].join(', ');
  return {
    path: ['fault'],
    message: `${JSON.stringify(word)} is not a fault of ${service}: ${words}, http-<200…599>, malformed:<${MALFORMED_NAMES.join('|')}>`,
  };
}

import type { Outcome } from '../answers/answer';
import type { z } from 'zod';
import { outcome, respondError } from '../answers/answer';
import { pathText } from '../rules/rule-set';

/** The query string, parsed; a field that comes twice is a list. */
export type Query = Readonly<Record<string, unknown>>;

/** One service of the bank. A new one is a file beside this and a line in `BANK_SERVICES` (server/bank-services.ts). */
export interface BankService {
  /** Name in the request log. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Whether requests to it are signed (bank-api: level "very high"). */
  readonly signed: boolean;
  /** False: a body is ignored. */
  readonly takesBody: boolean;
  /** The originId of a request, as far as it is readable before the request is checked. */
  originIdOf(body: unknown): string | null;
  /** The requestId of the verification in a request. */
  requestIdOf?(query: Query): string | null;
  /** Runs after authorization, on a body that is JSON, if it takes one. */
  answer(body: unknown, query: Query): Outcome;
}

/** 400 with every field that is wrong; no value of the request is repeated. */
export const invalidBody = (problem: z.ZodError | string): Outcome =>
  outcome(
    'validation',
    respondError(400, 'VALIDATION', typeof problem === 'string' ? problem : listed(problem)),
  );

const listed = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${pathText(path)}: ${message}`).join('; ');

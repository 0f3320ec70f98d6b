import type { Outcome } from '../answers/answer';
import type { z } from 'zod';
import { outcome, respondError } from '../answers/answer';
import { pathText } from '../rules/rule-set';

/** The parsed query string; a repeated field is a list. */
export type Query = Readonly<Record<string, unknown>>;

/**
 * One service of the bank. To add one, add a file next to this one and a line in `bankServices`
 * (server/bank-services.ts).
 */
export interface BankService {
  /** Name in the request log. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Whether its requests are signed (bank-api: level "very high"). */
  readonly signed: boolean;
  /** False: a body is ignored. */
  readonly takesBody: boolean;
  /** The originId of a request, if readable before the request is checked. */
  originIdOf(body: unknown): string | null;
  /** The requestId of the verification in a request. */
  requestIdOf?(query: Query): string | null;
  /** Runs after authorization; a body, if the service takes one, is JSON. */
  answer(body: unknown, query: Query): Outcome;
}

/** 400 with every wrong field, without values of the request. */
export const invalidBody = (problem: z.ZodError | string): Outcome =>
  outcome(
    'validation',
    respondError(400, 'VALIDATION', typeof problem === 'string' ? problem : listed(problem)),
  );

const listed = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${pathText(path)}: ${message}`).join('; ');

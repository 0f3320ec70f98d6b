import type { z } from 'zod';
import type { Outcome } from '../answers/answer';
import { outcome, respondError } from '../answers/answer';
import { pathText } from '../rules/rule-set';

/** 400 with every field that is wrong; no value of the request is repeated. */
export const invalidBody = (problem: z.ZodError | string): Outcome =>
  outcome(
    'validation',
    respondError(400, 'VALIDATION', typeof problem === 'string' ? problem : listed(problem)),
  );

const listed = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${pathText(path)}: ${message}`).join('; ');

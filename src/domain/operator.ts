/**
 * Operators' names, in ASCII: with accents, spaces or letters of other scripts one person could appear as two. The
 * database has the same rule (`giro.is_operator`).
 */
export const OPERATOR_NAME = /^[A-Za-z0-9._@+-]{1,100}$/;
export const OPERATOR_RULE = 'must be 1 to 100 characters of A-Za-z0-9._@+-';

export const isOperator = (name: string): boolean => OPERATOR_NAME.test(name);

/** Equal for all spellings of one operator's name: names are compared without case. */
export const operatorKey = (name: string): string => name.toLowerCase();

/** Whether `operator` is one of `DECIDERS`; without a list everybody is. */
export const isDecider = (deciders: readonly string[] | null, operator: string): boolean =>
  deciders === null || deciders.some((name) => operatorKey(name) === operatorKey(operator));

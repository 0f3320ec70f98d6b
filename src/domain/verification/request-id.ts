/** Longest requestId. With its prefix it stays far below Temporal's limit for ids. */
const REQUEST_ID_MAX = 128;

/** Printable ASCII without quotes, backslash and angle brackets; a letter or a digit first. */
const REQUEST_ID = /^[A-Za-z0-9](?:(?!["'\\`<>])[\x21-\x7e])*$/;

export const REQUEST_ID_RULE =
  `must be text of 1 to ${REQUEST_ID_MAX} characters that begins with a letter or a digit, ` +
  'without spaces, quotes, backslashes, < and >';

/**
 * The bank's identifier of a verification request. Its format is not documented. So Giro refuses only characters
 * that cannot be part of an id, a line of text or a list of ids. Query strings contain the id encoded.
 */
export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= REQUEST_ID_MAX && REQUEST_ID.test(value);
}

export const verificationWorkflowId = (requestId: string): string => `kyc-${requestId}`;

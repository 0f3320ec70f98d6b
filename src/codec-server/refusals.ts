import { SealError } from '../codec/seal';

/** The largest body: Temporal refuses payloads over 2 MB, and base64 adds a third. */
export const BODY_MAX_BYTES = 4 * 1024 * 1024;

/** A request that is not served. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly statusCode: number,
    /** For the audit line. */
    readonly why: string,
    message: string,
  ) {
    super(message);
  }
}

export const NO_TOKEN = new Refusal(401, 'no-token', 'a bearer token is needed');
export const FOREIGN_ORIGIN = new Refusal(
  403,
  'origin',
  'pages of this origin may not call (CODEC_SERVER_ORIGINS)',
);
export const FOREIGN_NAMESPACE = new Refusal(
  403,
  'namespace',
  'payloads of this namespace are not shown here (CODEC_SERVER_NAMESPACES)',
);
export const NOT_PAYLOADS = new Refusal(
  400,
  'not-payloads',
  'the body is not {"payloads":[{"metadata","data"}]} in base64',
);
export const NOT_FOUND = new Refusal(
  404,
  'not-found',
  'unknown path: use POST /decode, or POST /encode if CODEC_SERVER_ENCODE_TOKEN_FILE is set',
);

export const UNREADABLE_PATH = new Refusal(400, 'unreadable-path', 'the path cannot be read');

/** Fastify's own messages repeat pieces of the body and the path. */
const OF_STATUS: Readonly<Record<number, readonly [why: string, message: string]>> = {
  400: ['not-json', 'the body is not JSON'],
  413: ['too-large', `the body is larger than ${BODY_MAX_BYTES} bytes`],
  415: ['not-json', 'the body must be application/json'],
  429: ['too-many', 'too many requests: try again in a minute'],
};

/** What an error becomes in the caller's answer and in the log line. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof SealError)
    return new Refusal(422, error.why, `an unreadable payload: ${error.message}`);
  const status = (error as { readonly statusCode?: number }).statusCode ?? 500;
  const [why, message] = OF_STATUS[status] ?? ['failed', 'the request failed'];
  return new Refusal(status, why, message);
}

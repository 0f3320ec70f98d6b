import { callWithToken } from '../bank/authorized-call';
import type { AuthStyle } from '../bank/authorized-call';
import type { BankConnection } from '../bank/connection';
import type { HttpOutcome } from '../bank/http-outcome';
import { LOOKUP_PATH } from '../bank/http-bank-client';
import type { AnswerCodes } from '../bank/answer-codes';
import { judgeLookup } from '../bank/lookup-outcome';
import { movementKeyBody } from '../bank/movement-key';
import type { RequestSigner } from '../bank/request-signer';
import { staticToken } from '../bank/token-source';
import type { TokenSource } from '../bank/token-source';
import { well, wrong } from './finding';
import type { Check, Judgement } from './finding';

/** The greatest that an order may have; that the bank knows none of that id is the answer hoped for. */
const NO_SUCH_ORIGIN_ID = '9007199254740991';
const WRONG_TOKEN = 'giro-doctor-wrong-token';

export interface LookupCheckOptions {
  readonly connection: BankConnection;
  readonly authStyle: AuthStyle;
  readonly timeoutMs: number;
  /** `BANK_NOT_FOUND_…` */
  readonly notFound: AnswerCodes;
  /** Called with the bank's `Date` header, when there is one. */
  readonly onDate: (date: string) => void;
}

/**
 * Token and signature by a signed look-up. When it is refused, the bank is asked twice more, once with a wrong token
 * and once with a wrong signature: an answer that differs tells which of the two was good.
 */
export const bankLookupCheck = (options: LookupCheckOptions): Check => ({
  name: 'bank-look-up',
  async run() {
    const { tokens, signer } = options.connection;
    const seen = await lookUp(options, tokens, signer);
    if (seen === null) return wrong('not asked: there is no token', 'mend bank-token');
    if (seen.kind === 'failed') return connectionLost(seen, options.connection);
    const { status, date } = seen.head;
    if (date != null) options.onDate(date);
    const reply = judgeLookup(seen, options.notFound, Date.now());
    if (reply.kind === 'not-found') {
      const how = signer === null ? 'the token' : 'token and signature';
      return well(
        `the bank takes ${how}, and knows nothing of an originId that does not exist (HTTP ${status})`,
      );
    }
    if (status === 401 || status === 403) return refused(options, seen, status);
    if (status === 429 || status >= 500)
      return wrong(`the bank answers ${status} for now`, 'try again later; tell the bank if it stays so');
    if (status >= 300 && status < 400)
      return wrong(`something on the way answers ${status}, a redirect`, 'check BANK_BASE_URL');
    return reply.kind === 'movement'
      ? wrong(
          `the bank answers with a movement (HTTP ${status}) for an originId that does not exist`,
          'ask the bank: no look-up could be relied on',
        )
      : wrong(
          `the bank answers HTTP ${status} (${reply.error.code}) for an originId that does not exist, which is not what BANK_NOT_FOUND_… lists: no transfer would count as unknown to it`,
          'check the path of BANK_BASE_URL; set BANK_NOT_FOUND_STATUS, or _CODE_POINTER and _CODES, to how the bank says it',
        );
  },
});

async function lookUp(
  { connection, authStyle, timeoutMs }: LookupCheckOptions,
  tokens: TokenSource,
  signer: RequestSigner | null,
): Promise<HttpOutcome | null> {
  const end = await callWithToken(
    { ...connection, tokens, signer, authStyle },
    {
      ...{ method: 'POST', path: LOOKUP_PATH, query: '', timeoutMs },
      headers: { ...connection.extraHeaders, 'User-Agent': connection.userAgent },
      body: Buffer.from(movementKeyBody({ originId: NO_SUCH_ORIGIN_ID }, { raw: false })),
    },
  );
  return end.kind === 'called' ? end.outcome : null;
}

function connectionLost(
  { failure, maybeWritten }: Extract<HttpOutcome, { kind: 'failed' }>,
  { baseUrl, tls }: BankConnection,
): Judgement {
  if (baseUrl.tls && maybeWritten && (failure === 'CONNECTION_LOST' || failure === 'TLS')) {
    return wrong(
      `the connection was closed after the request was written (${failure}): under TLS 1.3 that is how a bank refuses a client certificate`,
      tls().client === null
        ? 'set BANK_CLIENT_CERT_FILE and BANK_CLIENT_KEY_FILE'
        : 'have the bank register the certificate of BANK_CLIENT_CERT_FILE',
    );
  }
  return wrong(`no answer (${failure})`, 'mend bank-tls first; else check BANK_TIMEOUT and the network');
}

async function refused(options: LookupCheckOptions, seen: HttpOutcome, status: number): Promise<Judgement> {
  const { tokens, signer } = options.connection;
  const withWrongToken = await lookUp(options, staticToken(WRONG_TOKEN), signer);
  const tokenMatters = isOther(withWrongToken, seen);
  if (signer === null) {
    return tokenMatters
      ? wrong(`the bank takes the token and refuses the request (HTTP ${status})`, ASK_BANK_UNSIGNED)
      : wrong(`the bank refuses the token (HTTP ${status})`, TOKEN_REMEDY);
  }
  const withWrongSignature = await lookUp(options, tokens, async (request) => spoilt(await signer(request)));
  const signatureMatters = isOther(withWrongSignature, seen);
  if (tokenMatters && !signatureMatters)
    return wrong(`the bank takes the token and refuses the signature (HTTP ${status})`, SIGNATURE_REMEDY);
  if (signatureMatters && !tokenMatters)
    return wrong(`the bank takes the signature and refuses the token (HTTP ${status})`, TOKEN_REMEDY);
  if (tokenMatters)
    return wrong(
      `the bank takes token and signature and refuses the request (HTTP ${status})`,
      'ask the bank what this client is allowed to do',
    );
  return wrong(
    `the bank refuses the request (HTTP ${status}) as it does a wrong token: most likely the token; its answers do not tell token and signature apart`,
    `${TOKEN_REMEDY}; then BANK_HMAC_…`,
  );
}

const TOKEN_REMEDY = 'check the token and BANK_AUTH_STYLE_TRANSFERS (raw or bearer)';
const SIGNATURE_REMEDY =
  'check BANK_HMAC_SECRET_FILE, BANK_HMAC_SCHEME, BANK_HMAC_CONTENT and its fellows, and the clock';
const ASK_BANK_UNSIGNED =
  'does the bank want signatures (BANK_HMAC_SECRET_FILE)? Else ask what this client may do';

/** Every header of the signature keeps its form and loses its meaning. */
const spoilt = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value], i) => [
      name,
      i === 0 ? value.slice(0, -8) + (value.endsWith('00000000') ? '11111111' : '00000000') : value,
    ]),
  );

/** Compared without what differs in any two answers: numbers, times, ids of requests. */
function isOther(one: HttpOutcome | null, another: HttpOutcome): boolean {
  if (one?.kind !== 'response' || another.kind !== 'response') return false;
  return essence(one) !== essence(another);
}

const essence = ({ head, body }: Extract<HttpOutcome, { kind: 'response' }>): string =>
  `${head.status} ${Buffer.from(body)
    .toString('latin1')
    .replace(/[0-9a-f]{4,}(?:-[0-9a-f]{4,})*|[0-9]+/gi, '#')}`;

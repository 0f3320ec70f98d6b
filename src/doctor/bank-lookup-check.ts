import type { MovementDialect, WireRequest } from '../bank/dialect';
import type { AnswerCodes } from '../bank/http/answer-codes';
import { callWithToken } from '../bank/credentials/authorized-call';
import type { AuthStyle } from '../bank/credentials/authorized-call';
import type { RequestSigner } from '../bank/credentials/authorized-call';
import type { BankConnection } from '../bank/connection';
import type { HttpOutcome } from '../bank/http/http-outcome';
import { judgeLookup } from '../bank/movements/lookup-outcome';
import { staticToken } from '../bank/credentials/token-source';
import type { TokenSource } from '../bank/credentials/token-source';
import { differsFrom, judgeNotFound, judgeRefusal } from './lookup-judgement';
import type { Answer, Influence } from './lookup-judgement';
import { wrong } from './check-result';
import type { Check, Judgement } from './check-result';

/** The highest originId that an order may have; the expected answer is that the bank does not know it. */
const NO_SUCH_ORIGIN_ID = '9007199254740991';
const WRONG_TOKEN = 'giro-doctor-wrong-token';
const NO_SUCH_SERVICE = 'giro-doctor-no-such-service';

export interface LookupCheckOptions {
  readonly connection: BankConnection;
  readonly dialect: MovementDialect;
  readonly authStyle: AuthStyle;
  readonly timeoutMs: number;
  /** `BANK_NOT_FOUND_…` */
  readonly notFound: AnswerCodes;
  /** Called with the bank's `Date` header, if present. */
  readonly onDate: (date: string) => void;
}

/**
 * Checks token and signature with a signed look-up. Further look-ups show whether the bank verified both: the same
 * look-up again, then with a wrong token, with a wrong signature, and at a path that does not exist. A different answer
 * shows that the bank checks the changed part.
 */
export const bankLookupCheck = (options: LookupCheckOptions): Check => ({
  name: 'bank-look-up',
  async run() {
    const seen = await lookUp(options);
    if (seen === null) return wrong('not asked: there is no token', 'fix bank-token');
    if (seen.kind === 'failed') return connectionLost(seen, options.connection);
    const { status, date } = seen.head;
    if (date != null) options.onDate(date);
    const reply = judgeLookup(seen, options.notFound, options.dialect, Date.now());
    if (reply.kind === 'no-answer' && (status === 429 || status >= 500))
      return wrong(`the bank answers ${status} for now`, 'try again later; tell the bank if this persists');
    if (reply.kind === 'no-answer' && status >= 300 && status < 400)
      return wrong(`something on the way answers ${status}, a redirect`, 'check BANK_BASE_URL');
    if (reply.kind === 'movement')
      return wrong(
        `the bank answers with a movement (HTTP ${status}) for an originId that does not exist`,
        'ask the bank: no look-up would be reliable',
      );
    if (reply.kind === 'no-answer' && wantsCertificate(seen))
      return wrong(
        `the bank's web server, or one in front of it, answers HTTP ${status}: it requires a client certificate, or refuses ours`,
        certificateRemedy(options.connection),
      );
    const influence = await influenceOn(seen, options);
    if (influence === null)
      return wrong(
        `the bank answers HTTP ${status}, and then not at all: token and signature could not be distinguished`,
        'run doctor again',
      );
    return reply.kind === 'not-found' ? judgeNotFound(status, influence) : judgeRefusal(status, influence);
  },
});

/** Null if one of the look-ups got no answer. */
async function influenceOn(seen: Answer, options: LookupCheckOptions): Promise<Influence | null> {
  const { signer } = options.connection;
  const asked = theLookUp(options);
  const elsewhere = {
    ...asked,
    path: `${asked.path.slice(0, asked.path.lastIndexOf('/'))}/${NO_SUCH_SERVICE}`,
  };
  // At once: one after the other, a slow bank would take longer than a check may.
  const [again, withWrongToken, atWrongPath, spoiltAnswer] = await Promise.all([
    lookUp(options),
    lookUp(options, { tokens: staticToken(WRONG_TOKEN) }),
    lookUp(options, { request: elsewhere }),
    signer === null ? null : lookUp(options, { signer: async (request) => spoilt(await signer(request)) }),
  ]);
  const withWrongSignature = signer === null ? again : spoiltAnswer;
  if (
    !isAnswer(again) ||
    !isAnswer(withWrongToken) ||
    !isAnswer(atWrongPath) ||
    !isAnswer(withWrongSignature)
  )
    return null;
  // Not `atWrongPath`: a gateway may answer every unknown path with 503.
  if ([again, withWrongToken, withWrongSignature].some(isOutage)) return null;
  const isOther = differsFrom(seen, again, [WRONG_TOKEN, asked.path, elsewhere.path]);
  return {
    token: isOther(withWrongToken),
    signature: signer === null ? null : isOther(withWrongSignature),
    path: isOther(atWrongPath),
  };
}

/** An overload says nothing about the request. */
const isAnswer = (outcome: HttpOutcome | null): outcome is Answer =>
  outcome?.kind === 'response' && outcome.head.status !== 429;

/** A gateway that does not reach the bank says nothing about the token. A 500 may be how the bank refuses a token. */
const isOutage = ({ head }: Answer): boolean => head.status >= 502 && head.status <= 504;

const theLookUp = ({ dialect }: LookupCheckOptions): WireRequest =>
  dialect.lookUp({ originId: NO_SUCH_ORIGIN_ID }, { raw: false });

async function lookUp(
  options: LookupCheckOptions,
  {
    request = theLookUp(options),
    ...instead
  }: { tokens?: TokenSource; signer?: RequestSigner; request?: WireRequest } = {},
): Promise<HttpOutcome | null> {
  const { connection, authStyle, timeoutMs } = options;
  const end = await callWithToken(
    { ...connection, ...instead, authStyle },
    {
      ...request,
      headers: { ...connection.extraHeaders, 'User-Agent': connection.userAgent },
      timeoutMs,
    },
  );
  return end.kind === 'called' ? end.outcome : null;
}

function connectionLost(
  { failure, maybeWritten }: Extract<HttpOutcome, { kind: 'failed' }>,
  connection: BankConnection,
): Judgement {
  if (connection.baseUrl.tls && maybeWritten && (failure === 'CONNECTION_LOST' || failure === 'TLS')) {
    return wrong(
      `the connection was closed after the request was written (${failure}): under TLS 1.3 that is how a bank refuses a client certificate`,
      certificateRemedy(connection),
    );
  }
  return wrong(`no answer (${failure})`, 'fix bank-tls first; else check BANK_TIMEOUT and the network');
}

const certificateRemedy = ({ tls }: BankConnection): string =>
  tls().client === null
    ? 'set BANK_CLIENT_CERT_FILE and BANK_CLIENT_KEY_FILE'
    : 'have the bank register the certificate of BANK_CLIENT_CERT_FILE';

/** nginx completes the handshake and then refuses with a page: 400, or 495 and 496 where they are passed on. */
const wantsCertificate = ({ head, body }: Answer): boolean =>
  head.status === 495 ||
  head.status === 496 ||
  /No required SSL certificate was sent|The SSL certificate error/.test(Buffer.from(body).toString('latin1'));

/**
 * The headers of a signature, with the signature falsified but still well-formed: the eight characters before the last
 * four are replaced. The last four may be padding or a closing mark.
 */
const spoilt = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const names = Object.keys(headers);
  const name = names.find((one) => one.toLowerCase() === 'signature') ?? names[0];
  if (name === undefined) return headers;
  const value = headers[name] ?? '';
  const [before, after] = [value.slice(0, -12), value.slice(-4)];
  return {
    ...headers,
    [name]: before + (value.slice(-12, -4) === '00000000' ? '11111111' : '00000000') + after,
  };
};

import { parseBaseUrl } from '../bank/http/base-url';
import type { TlsSource } from '../bank/credentials/tls-material';
import { createTokenService } from '../bank/credentials/token-service';
import type { TokenServiceNotice } from '../bank/credentials/token-service';
import { fileToken, staticToken } from '../bank/credentials/token-source';
import type { TokenSource } from '../bank/credentials/token-source';
import { USER_AGENT, openTransport } from './bank-transport';
import type { BankSecrets } from '../config/bank';
import { readTokenFile, readTokenRequest } from '../config/bank-token';
import type { BankTokenSource } from '../config/bank-token';
import { accept } from '../config/formats';
import type { Logger } from '../telemetry/logger';

/** Time-out of one request for a token; its callers have their own deadlines. */
const TOKEN_TIMEOUT_MS = 10_000;

type Closable = { readonly source: TokenSource; readonly close: () => Promise<void> };

/** Observes the token service; other sources report nothing. */
export interface TokenObserver {
  /** The failure's code, as in the log. */
  readonly failed?: (failure: string) => void;
  /** The token's lifetime as the service reported it; null: not reported. */
  readonly fetched?: (lifeMs: number | null) => void;
}

/** The source that the configuration names. */
export function tokenSource(
  { token, headers }: BankSecrets,
  tls: TlsSource,
  logger: Logger,
  observer: TokenObserver,
): Closable {
  const nothing = () => Promise.resolve();
  switch (token.kind) {
    case 'static':
      return { source: staticToken(token.token), close: nothing };
    case 'file': {
      const read = (): string => {
        const file = readTokenFile(token.file);
        if (!file.ok) throw new Error(file.reason);
        return file.value;
      };
      const onProblem = (reason: string) =>
        logger.error({ reason }, 'BANK_TOKEN_FILE holds no usable token: nothing is sent');
      return { source: fileToken(read, onProblem), close: nothing };
    }
    case 'service':
      return tokenService(token, headers, tls, logger, observer);
  }
}

function tokenService(
  service: Extract<BankTokenSource, { kind: 'service' }>,
  headers: BankSecrets['headers'],
  tls: TlsSource,
  logger: Logger,
  observer: TokenObserver,
): Closable {
  const url = new URL(service.url);
  const transport = openTransport(parseBaseUrl(url.origin), tls, 1, logger);
  const contentType =
    service.requestType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const source = createTokenService({
    ...service,
    request: () => {
      const body =
        service.requestFile === null
          ? accept('')
          : readTokenRequest(service.requestFile, service.requestType);
      if (!body.ok) {
        logger.error({ reason: body.reason }, 'BANK_TOKEN_REQUEST_FILE cannot be used');
        return Promise.reject(new Error(body.reason));
      }
      return transport.send({
        method: 'POST',
        path: url.pathname + url.search,
        headers: {
          ...headers,
          'User-Agent': USER_AGENT,
          'Content-Type': contentType,
          Accept: 'application/json',
        },
        body: Buffer.from(body.value),
        timeoutMs: TOKEN_TIMEOUT_MS,
      });
    },
    onNotice: (notice) => {
      tellToken(notice, logger);
      if (notice.kind === 'failed') {
        const { failure, httpStatus } = notice;
        observer.failed?.(httpStatus === null ? failure : `${failure} ${httpStatus}`);
      } else {
        observer.fetched?.(notice.lifeMs);
      }
    },
  });
  return { source, close: () => transport.close() };
}

function tellToken(notice: TokenServiceNotice, logger: Logger): void {
  if (notice.kind === 'failed') {
    const { failure, httpStatus, retryInMs } = notice;
    logger.error({ failure, httpStatus, retryInMs }, 'the token service returned no usable token');
    return;
  }
  const { lifeMs } = notice;
  if (notice.afterFailure) logger.info({ lifeMs }, 'the token service answers again');
  else logger.debug({ lifeMs }, 'the token service has issued a new token');
}
